import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { JestEnvironment } from '@jest/environment';
import { setGlobals, type Globals } from './native-globals.ts';

const require = createRequire(import.meta.url);
const globals = new URL('native-globals.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context),
});

const ignore = (): void => undefined;

/** The number of imports of each test file: watch mode runs a file again in the same worker. */
const imports = new Map<string, number>();

/**
 * Loads test files as Node does. jest's own runtime compiles every module again for each test file, in a context that Node never releases:
 * three quarters of the processor time of a worker, and 1.9 GB of memory. Here, the test files of a worker share their modules.
 */
export default class NativeRuntime {
  readonly #environment: JestEnvironment;

  constructor(_config: unknown, environment: JestEnvironment) {
    this.#environment = environment;
  }

  /** Loads jest-circus. Each test file needs its own instance, because it has the state of one file. */
  requireInternalModule(path: string): unknown {
    Reflect.deleteProperty(require.cache, path);
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    return require(path);
  }

  setGlobalsForRuntime(circus: Omit<Globals, 'jest'>): void {
    const { moduleMocker: mocks, fakeTimersModern: timers } = this.#environment;
    if (mocks === null || timers === null) throw new Error('The environment must have mocks and timers.');
    const jest = {
      fn: mocks.fn.bind(mocks),
      spyOn: mocks.spyOn.bind(mocks),
      restoreAllMocks: () => mocks.restoreAllMocks(),
      useFakeTimers: timers.useFakeTimers.bind(timers),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (milliseconds: number) => timers.advanceTimersByTime(milliseconds),
      advanceTimersByTimeAsync: (milliseconds: number) => timers.advanceTimersByTimeAsync(milliseconds),
    };
    setGlobals({ ...circus, jest });
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  unstable_shouldLoadAsEsm(): true {
    return true;
  }

  async unstable_importModule(path: string): Promise<void> {
    const count = imports.get(path) ?? 0;
    const isTest = path.endsWith('.test.ts');
    if (isTest) imports.set(path, count + 1);
    await import(count === 0 ? pathToFileURL(path).href : `${pathToFileURL(path).href}?${count}`);
  }

  getSourceMaps(): Map<string, string> {
    return new Map();
  }

  getAllCoverageInfoCopy(): undefined {
    return undefined;
  }

  readonly enterTestCode = ignore;
  readonly leaveTestCode = ignore;
  readonly teardown = ignore;
}
