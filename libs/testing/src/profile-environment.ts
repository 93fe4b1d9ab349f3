import { appendFileSync } from 'node:fs';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { TestEnvironment } from 'jest-environment-node';
import { processorSeconds } from './processor-time.ts';

/** A line of the file ESD_TEST_PROFILE: processor seconds of the worker and of the processes that a test file started. */
export interface FileProfile {
  path: string;
  worker: number;
  started: number;
}

export default class ProfileEnvironment extends TestEnvironment {
  readonly #path: string;
  readonly #before = processorSeconds('self');

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    this.#path = context.testPath;
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    const [before, after] = [this.#before, processorSeconds('self')];
    const file = process.env['ESD_TEST_PROFILE'];
    if (before === undefined || after === undefined || file === undefined) return;
    const profile: FileProfile = {
      path: this.#path,
      worker: after.own - before.own,
      started: after.ofEnded - before.ofEnded,
    };
    appendFileSync(file, `${JSON.stringify(profile)}\n`);
  }
}
