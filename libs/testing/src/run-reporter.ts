import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { AggregatedResult, Reporter, Test, TestContext, TestResult } from '@jest/reporters';
import { fileEnded } from './stack-plan.ts';
import { measureMemory } from './memory.ts';
import { beginUse, endUse, fileProfiles, profileTable, projectSeconds } from './test-profile.ts';

const MAX_FAILURE_LENGTH = 4_000;

/**
 * Notifies the stack pool of completed test files and writes the results to the file ESD_TEST_RESULTS. Prints the profile of the run
 * if ESD_TEST_PROFILE is set.
 */
export default class RunReporter implements Reporter {
  readonly #seconds = new Map<string, number>();
  readonly #projects = new Map<string, string>();
  readonly #memory = process.env['ESD_TEST_PROFILE'] === undefined ? undefined : measureMemory();
  #root = '';

  onTestFileStart({ path, context }: Test): void {
    this.#root = context.config.rootDir;
    this.#projects.set(path, context.config.displayName?.name ?? '');
    if (context.config.displayName?.name === 'services') beginUse('PostgreSQL of the services', path);
  }

  onTestFileResult({ path }: Test, { perfStats }: TestResult): void {
    this.#seconds.set(path, perfStats.runtime / 1_000);
    endUse(path);
    fileEnded(path);
  }

  onRunComplete(_contexts: Set<TestContext>, results: AggregatedResult): void {
    const { ESD_TEST_PROFILE: profile, ESD_TEST_RESULTS: file } = process.env;
    const measured = profile === undefined ? undefined : fileProfiles(profile, this.#seconds, this.#root);
    if (measured !== undefined) console.log(profileTable(measured));
    if (file === undefined) return;
    const failed = results.testResults.filter(
      ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError,
    );
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      // The last lines repeat them, because a log of many files is often cut.
      failures: failed.map(({ testFilePath, failureMessage }) =>
        `${relative(this.#root, testFilePath)}\n${stripVTControlCharacters(failureMessage ?? '')}`.slice(
          0,
          MAX_FAILURE_LENGTH,
        ),
      ),
      ...(measured && { profile: { ...projectSeconds(measured, this.#root, this.#projects), ...this.#memory?.() } }),
    };
    writeFileSync(file, JSON.stringify(counts));
  }
}
