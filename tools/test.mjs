/**
 * `npm test [-- [--stack] jest arguments]` (all but `npm run test:faults` and `npm run test:deploy`): installs what is missing, runs
 * jest, and ends with the line `N passed, N failed`. With `--stack` end-to-end tests use the stack that runs in `.esd`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain, Stop } from './stop.mjs';

await runMain(async () => {
  const jestArguments = process.argv.slice(2).filter((argument) => argument !== '--stack');
  const running = process.argv.includes('--stack') ? runningStack() : {};
  await ensureInstalled({ servers: true, kubernetes: true, generated: true, pages: true });
  const folder = mkdtempSync(join(tmpdir(), 'esd-jest-'));
  try {
    const results = join(folder, 'results.json');
    const code = await runNode(
      [
        join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
        '--json',
        `--outputFile=${results}`,
        ...jestArguments,
        // Last, because it takes every argument that follows it.
        ...(jestArguments.includes('--selectProjects') ? [] : ['--ignoreProjects', 'faults', 'deploy']),
      ],
      { env: { ...running, NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' } },
    );
    console.log(closingLine(results));
    return code;
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

function closingLine(file) {
  // Jest wrote nothing: it did not get as far as the tests, which is a failure.
  if (!existsSync(file)) return '0 passed, 1 failed';
  const results = JSON.parse(readFileSync(file, 'utf8'));
  // A file that could not be run has no tests to count, and is a failure all the same.
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
