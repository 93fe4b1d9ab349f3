import type { Reporter, Test, TestResult } from '@jest/reporters';
import { fileEnded } from './stack-plan.ts';
import { beginUse, endUse, profileTable } from './test-profile.ts';

/** Tells the pool of stacks which files have ended, and prints the profile of the run where ESD_TEST_PROFILE names its file. */
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

  onRunComplete(): void {
    const file = process.env['ESD_TEST_PROFILE'];
    if (file !== undefined) console.log(profileTable(file, this.#seconds, this.#root));
  }
}
