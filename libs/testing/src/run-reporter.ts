import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { AggregatedResult, Reporter, Test, TestContext, TestResult } from '@jest/reporters';
import { fileEnded } from './stack-plan.ts';
import { beginUse, endUse, profileTable } from './test-profile.ts';

/**
 * Notifies the stack pool of completed test files and writes the results to the file ESD_TEST_RESULTS. Prints the profile of the run
 * if ESD_TEST_PROFILE is set.
 */
export default class RunReporter implements Reporter {
  readonly #seconds = new Map<string, number>();
  #root = '';

  onTestFileStart({ path, context }: Test): void {
    this.#root = context.config.rootDir;
    if (context.config.displayName?.name === 'services') beginUse('PostgreSQL of the services', path);
  }

  onTestFileResult({ path }: Test, { perfStats }: TestResult): void {
    this.#seconds.set(path, perfStats.runtime / 1_000);
    endUse(path);
    fileEnded(path);
  }

  onRunComplete(_contexts: Set<TestContext>, results: AggregatedResult): void {
    const { ESD_TEST_PROFILE: profile, ESD_TEST_RESULTS: file } = process.env;
    if (profile !== undefined) console.log(profileTable(profile, this.#seconds, this.#root));
    if (file === undefined) return;
    const failed = results.testResults.filter(
      ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError,
    );
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      files: failed.map(({ testFilePath }) => relative(this.#root, testFilePath)),
    };
    writeFileSync(file, JSON.stringify(counts));
  }
}
