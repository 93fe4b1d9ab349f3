import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runCommand } from '@esd/testing/run-command';
import { root } from '@esd/tools/stack/root';

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
 * Runs the end-to-end tests, all that share one system, against the system at `url`, whose credentials and mails are in
 * `dataDir`; how many passed, and what failed.
 */
export async function runEndToEndTests(url: string, dataDir: string): Promise<{ passed: number; failed: string[] }> {
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
    const env = { ...process.env, ESD_TEST_URL: url, ESD_TEST_DIR: dataDir };
    const ended = await runCommand(command, { cwd: root, env, timeoutMs: suiteMs }).catch(String);
    const text = await readFile(output, 'utf8').catch(() => {
      throw new Error(`jest wrote no results: ${ended}`);
    });
    const { numPassedTests, testResults } = jestResults.parse(JSON.parse(text));
    const failed = testResults.flatMap(({ name, message, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      // A file that could not be run has no tests.
      if (assertionResults.length === 0) return [`${name}: ${message}`];
      return tests.map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${failureMessages.join('\n')}`);
    });
    return { passed: numPassedTests, failed };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}
