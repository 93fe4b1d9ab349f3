import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { z } from 'zod';
import type { ComposeSystem } from './compose-system.ts';
import { runCommand } from '@esd/testing/run-command';
import { root } from '@esd/dev-stack/root';
import { services } from '@esd/dev-stack/service-table';

const suiteMs = 900_000;

const jestResults = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numRuntimeErrorTestSuites: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

/**
 * Runs the end-to-end tests that share one system against a system in containers. Returns the number that passed and the
 * failures.
 */
export async function runEndToEndTests(system: ComposeSystem): Promise<{ passed: number; failed: string[] }> {
  const stopLogs = await keepLogs(system);
  try {
    return await runJest({ ESD_TEST_URL: await system.url(), ESD_TEST_DIR: system.dataDir });
  } finally {
    stopLogs();
  }
}

/** Writes the logs of the services into the folder `logs`, as a local stack does, until it is stopped. */
async function keepLogs(system: ComposeSystem): Promise<() => void> {
  const folder = join(system.dataDir, 'logs');
  await mkdir(folder, { recursive: true });
  const { container: docker } = await getContainerRuntimeClient();
  const logs = await Promise.all(
    services.map(async ({ name }) => {
      const [container] = await system.containers(name);
      const log = await docker.logs(docker.getById(container?.Id ?? ''));
      log.pipe(createWriteStream(join(folder, `${name}.log`)));
      return log;
    }),
  );
  return () => {
    for (const log of logs) log.destroy();
  };
}

async function runJest(env: NodeJS.ProcessEnv): Promise<{ passed: number; failed: string[] }> {
  const folder = join(root, 'e2e');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.test.ts')).map((name) => join(folder, name));
  const sharing: string[] = [];
  for (const file of files) {
    if ((await readFile(file, 'utf8')).includes(`'@esd/testing/shared-stack'`)) sharing.push(file);
  }
  const results = await mkdtemp(join(tmpdir(), 'esd-end-to-end-'));
  try {
    const output = join(results, 'results.json');
    const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--selectProjects', 'e2e'];
    const command = [process.execPath, ...jest, '--json', `--outputFile=${output}`, '--runTestsByPath', ...sharing];
    const ended = await runCommand(command, { cwd: root, env: { ...process.env, ...env }, timeoutMs: suiteMs }).catch(
      String,
    );
    const text = await readFile(output, 'utf8').catch(() => {
      throw new Error(`jest wrote no results: ${ended}`);
    });
    const { numPassedTests, testResults } = jestResults.parse(JSON.parse(text));
    const failed = testResults.flatMap(({ name, message, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      // A file that failed to run lists no tests.
      if (assertionResults.length === 0) return [`${name}: ${message}`];
      return tests.map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${failureMessages.join('\n')}`);
    });
    return { passed: numPassedTests, failed };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}
