import type { Logger } from './log.ts';

/** The state of the parts that a process needs, by name. */
export interface ReadinessState {
  ready: boolean;
  dependencies: Record<string, 'up' | 'down'>;
  /** What an operator should see to, in words; it makes nothing unready. */
  warnings: string[];
}

export interface Dependency {
  name: string;
  /** Resolves when the dependency works; throws or takes too long when it does not. */
  check: (signal: AbortSignal) => Promise<void>;
  /** Without it the process can do none of its work. */
  needed: boolean;
}

export interface Readiness {
  current(): ReadinessState;
  /** Checks everything now. */
  check(): Promise<ReadinessState>;
  /** Not ready from now on. */
  stop(): void;
}

const EVERY_MS = 1_000;
/** While a dependency is down, so that a start and a recovery are noticed early. */
const DOWN_EVERY_MS = 250;
const CHECK_MS = 2_000;

/**
 * Checks the dependencies of a process each second, four times a second while one is down, and reports each change to the log
 * and to `onChange`. `warnings` are what the state says beside them.
 */
export function watchReadiness(
  dependencies: readonly Dependency[],
  log: Logger,
  onChange: (ready: boolean) => void = () => undefined,
  warnings: () => string[] = () => [],
): Readiness {
  let state: Omit<ReadinessState, 'warnings'> = {
    ready: false,
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency.name, 'down'])),
  };
  let told: boolean | undefined;
  let stopped = false;
  const checkOne = async (dependency: Dependency): Promise<boolean> => {
    const signal = AbortSignal.timeout(CHECK_MS);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error(`no answer within ${CHECK_MS} ms`));
      });
    });
    try {
      await Promise.race([dependency.check(signal), late]);
      if (state.dependencies[dependency.name] === 'down') log.info({ dependency: dependency.name }, 'dependency is up');
      return true;
    } catch (err) {
      if (state.dependencies[dependency.name] === 'up')
        log.warn({ dependency: dependency.name, err }, 'dependency is down');
      return false;
    }
  };
  const current = (): ReadinessState => ({ ...state, warnings: warnings() });
  const check = async (): Promise<ReadinessState> => {
    const results = await Promise.all(dependencies.map(checkOne));
    state = {
      ready: !stopped && dependencies.every((dependency, index) => !dependency.needed || results[index] === true),
      dependencies: Object.fromEntries(
        dependencies.map((dependency, index) => [dependency.name, results[index] ? 'up' : 'down']),
      ),
    };
    if (told !== state.ready && !stopped) onChange((told = state.ready));
    return current();
  };
  void (async () => {
    while (!stopped) {
      const { dependencies: states } = await check();
      const pauseMs = Object.values(states).includes('down') ? DOWN_EVERY_MS : EVERY_MS;
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    }
  })();
  return {
    current,
    check,
    stop: () => {
      stopped = true;
      state = { ...state, ready: false };
    },
  };
}
