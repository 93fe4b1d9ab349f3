import { unlessAborted } from '../unless-aborted.ts';
import { withDeadline } from '../with-deadline.ts';
import type { Logger } from './log.ts';

export interface ReadinessState {
  ready: boolean;
  dependencies: Record<string, 'up' | 'down'>;
  /** Messages for operators, such as an optional dependency that is down; they do not affect `ready`. */
  warnings: string[];
}

export interface Dependency {
  name: string;
  /** Rejects or times out if the dependency does not work. */
  check: (signal: AbortSignal) => Promise<void>;
  /** The process is not ready without it. */
  needed: boolean;
}

export interface Readiness {
  current(): ReadinessState;
  /** Returns the time at which the checks behind the current state began. */
  checkedAt(): Date;
  check(): Promise<ReadinessState>;
  /** Ends the checks and sets the state to not ready. */
  stop(): void;
}

export function downWarning(dependency: string): string {
  return `${dependency} is down`;
}

const EVERY_MS = 1_000;
/** The shorter interval while a dependency is down, to detect a start or a recovery early. */
const DOWN_EVERY_MS = 250;
const CHECK_MS = 2_000;

/**
 * Checks the dependencies every second, four times a second while one is down. Logs each change and calls `onChange` when
 * `ready` changes.
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
  let checkedAt = new Date(0);
  let reported: boolean | undefined;
  let stopped = false;
  // The last causes of dependencies that have not been up since the start.
  const startCauses = new Map(dependencies.map(({ name }) => [name, '']));
  const checkOne = async (dependency: Dependency): Promise<boolean> => {
    try {
      await withDeadline(CHECK_MS, (signal) => unlessAborted(dependency.check(signal), signal));
      startCauses.delete(dependency.name);
      if (state.dependencies[dependency.name] === 'down') log.info({ dependency: dependency.name }, 'dependency is up');
      return true;
    } catch (err) {
      if (state.dependencies[dependency.name] === 'up')
        log.warn({ dependency: dependency.name, err }, 'dependency is down');
      else if (startCauses.has(dependency.name) && startCauses.get(dependency.name) !== String(err)) {
        startCauses.set(dependency.name, String(err));
        log.info({ dependency: dependency.name, err }, 'dependency is not up yet');
      }
      return false;
    }
  };
  const current = (): ReadinessState => {
    const down = dependencies.filter(({ name, needed }) => !needed && state.dependencies[name] === 'down');
    return { ...state, warnings: [...down.map(({ name }) => downWarning(name)), ...warnings()] };
  };
  const check = async (): Promise<ReadinessState> => {
    const startedAt = new Date();
    const results = await Promise.all(dependencies.map(checkOne));
    checkedAt = startedAt;
    state = {
      ready: !stopped && dependencies.every((dependency, index) => !dependency.needed || results[index] === true),
      dependencies: Object.fromEntries(
        dependencies.map((dependency, index) => [dependency.name, results[index] ? 'up' : 'down']),
      ),
    };
    if (reported !== state.ready && !stopped) onChange((reported = state.ready));
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
    checkedAt: () => checkedAt,
    check,
    stop: () => {
      stopped = true;
      state = { ...state, ready: false };
    },
  };
}
