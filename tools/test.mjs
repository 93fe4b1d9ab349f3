/**
 * `npm test [-- [--stack] jest arguments]` (all but `npm run test:faults`, `test:deploy`, `test:pages` and `test:python`): installs what is missing,
 * runs jest and, unless it is given arguments, the tests of the Python client on the newest Python, and ends with the line `N passed,
 * N failed`. With `--stack` end-to-end tests and those of the Python client use the stack that runs in `.esd`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closingLine } from './closing-line.mjs';
import { ensureInstalled } from './install.mjs';
import { runClientTests } from './python/client-tests.mjs';
import { newestRuns } from './python/test-runs.mjs';
import { root, runNode } from './run.mjs';
import { runMain, Stop } from './stop.mjs';

await runMain(async () => {
  const jestArguments = process.argv.slice(2).filter((argument) => !['--stack', '--profile'].includes(argument));
  const running = process.argv.includes('--stack') ? runningStack() : {};
  const ofClient = jestArguments.length === 0 ? await newestRuns([]) : [];
  const environments = ofClient.map(({ environment }) => environment);
  await ensureInstalled({ servers: true, kubernetes: true, generated: true, pages: true, environments });
  const folder = mkdtempSync(join(tmpdir(), 'esd-jest-'));
  try {
    const results = join(folder, 'results.json');
    const profile = process.argv.includes('--profile') ? { ESD_TEST_PROFILE: join(folder, 'profile.jsonl') } : {};
    const code = await runNode(
      [
        join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
        '--json',
        `--outputFile=${results}`,
        ...jestArguments,
        // Last, because it takes every argument that follows it.
        ...(jestArguments.includes('--selectProjects') ? [] : ['--ignoreProjects', 'faults', 'deploy', 'pages']),
      ],
      {
        env: {
          ...running,
          ...profile,
          NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        },
      },
    );
    const counts = countsOf(results);
    if (ofClient.length > 0) {
      const python = await runClientTests(ofClient, running.ESD_TEST_DIR);
      for (const key of Object.keys(counts)) counts[key] += python[key];
    }
    console.log(closingLine(counts));
    return code === 0 && counts.failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The variables that name the stack in `.esd` to the tests. */
function runningStack() {
  const dataDir = join(root, '.esd');
  try {
    const { url, ready } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8'));
    if (ready) return { ESD_TEST_URL: url, ESD_TEST_DIR: dataDir };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  throw new Stop(`--stack: no stack is running in ${dataDir}. Start one with npm run dev.`);
}

function countsOf(file) {
  // Jest wrote nothing: it did not get as far as the tests, which is a failure.
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const results = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: results.numPassedTests,
    // A file that could not be run has no tests to count, and is a failure all the same.
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}
