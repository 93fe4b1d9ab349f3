/** The module that test files receive for `@jest/globals`. Its functions belong to the test file that runs. */
const names = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'jest', 'test'] as const;

export type Globals = Readonly<Record<(typeof names)[number], object>>;

let current: Globals | undefined;

export function setGlobals(globals: Globals): void {
  current = globals;
}

/** Modules that several test files share import a function once, so it must find that of the current test file. */
function forwarded(name: (typeof names)[number]): unknown {
  const target = (): object => {
    if (current === undefined) throw new Error(`\`${name}\` works only in a test.`);
    return current[name];
  };
  return new Proxy(() => undefined, {
    apply: (_, self, values: unknown[]): unknown => {
      const called = target();
      if (typeof called !== 'function') throw new TypeError(`\`${name}\` is not a function.`);
      return Reflect.apply(called, self, values);
    },
    get: (_, key): unknown => Reflect.get(target(), key),
  });
}

export const [afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test] = names.map(forwarded);
