import type { Logger } from './log.ts';

/** A check for conditions that need an operator before they cause a failure. */
export interface WarningCheck {
  name: string;
  /** Resolves with its warnings, or undefined. Errors are only logged. */
  check: () => Promise<string | readonly string[] | undefined>;
}

export interface Warnings {
  /** The active warnings, each as `name: warning`. */
  current(): string[];
  check(): Promise<string[]>;
  stop(): void;
}

const EVERY_MS = 15_000;

/** Checks now and every 15 s, and logs each change. */
export function watchWarnings(watched: readonly WarningCheck[], log: Logger): Warnings {
  let current: string[] = [];
  const checkOne = async ({ name, check }: WarningCheck): Promise<string[]> => {
    try {
      return [(await check()) ?? []].flat().map((warning) => `${name}: ${warning}`);
    } catch (err) {
      log.debug({ err, name }, 'check failed');
      return [];
    }
  };
  const check = async (): Promise<string[]> => {
    const found = (await Promise.all(watched.map(checkOne))).flat();
    if (found.join('\n') !== current.join('\n')) {
      if (found.length > 0) log.warn({ warnings: found }, 'warnings active');
      else log.info('warnings cleared');
      current = found;
    }
    return found;
  };
  void check();
  const timer = setInterval(() => void check(), EVERY_MS).unref();
  return {
    current: () => current,
    check,
    stop: () => {
      clearInterval(timer);
    },
  };
}
