import { appendFileSync } from 'node:fs';
import type { JestEnvironment, JestEnvironmentConfig, EnvironmentContext } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { processorSeconds } from './processor-time.ts';

const MAX_IDLE_BYTES = 400_000_000;

/** A line of the file ESD_TEST_PROFILE: processor seconds of the worker and of the processes that a test file started. */
export interface FileProfile {
  path: string;
  worker: number;
  started: number;
}

/** Runs a test file in the globals of its worker (see native-runtime.ts), and restores globals and settings that it changed. */
export default class NativeEnvironment implements JestEnvironment {
  // Safe cast: the type adds the globals of jest, which test files import.
  readonly global = globalThis as JestEnvironment['global'];
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly #path: string;
  readonly #before = processorSeconds('self');
  readonly #settings = { ...process.env };
  readonly #exit = process.exit;
  readonly #globals: Record<string, PropertyDescriptor> = Object.getOwnPropertyDescriptors(globalThis);

  constructor({ projectConfig }: JestEnvironmentConfig, { testPath }: EnvironmentContext) {
    this.#path = testPath;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }

  setup(): Promise<void> {
    return Promise.resolve();
  }

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    process.exit = this.#exit;
    for (const name of Object.keys(process.env))
      if (!(name in this.#settings)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#settings);
    const now: Record<string, PropertyDescriptor> = Object.getOwnPropertyDescriptors(globalThis);
    for (const [name, before] of Object.entries(this.#globals)) {
      if (now[name]?.value !== before.value || now[name]?.get !== before.get)
        Object.defineProperty(globalThis, name, before);
    }
    // On a machine with much memory, V8 would collect the garbage of many files late.
    if (process.memoryUsage().rss > MAX_IDLE_BYTES) globalThis.gc?.();
    this.#writeProfile();
  }

  #writeProfile(): void {
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
