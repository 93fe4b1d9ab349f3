import type { Logger } from './log.ts';

/** Something that stops nobody yet, and that an operator should see to before it does. */
export interface Watched {
  name: string;
  /** What is the matter, for an operator; undefined when all is well. What it throws is logged, and means nothing else. */
  check: () => Promise<string | undefined>;
}

export interface Warnings {
  /** What is the matter now, each as `name: what`. */
  current(): string[];
  /** Checks everything now. */
  check(): Promise<string[]>;
  stop(): void;
}

const EVERY_MS = 60_000;

/** Checks now and each minute, and reports each change to the log and to `onChange`. */
export function watchWarnings(
  watched: readonly Watched[],
  log: Logger,
  onChange: (warnings: readonly string[]) => void = () => undefined,
): Warnings {
  let current: string[] = [];
  const checkOne = async ({ name, check }: Watched): Promise<string[]> => {
    try {
      const what = await check();
      return what === undefined ? [] : [`${name}: ${what}`];
    } catch (err) {
      log.debug({ err, name }, 'cannot be watched at present');
      return [];
    }
  };
  const check = async (): Promise<string[]> => {
    const found = (await Promise.all(watched.map(checkOne))).flat();
    if (found.join('\n') !== current.join('\n')) {
      if (found.length > 0) log.warn({ warnings: found }, 'somebody should see to this');
      else log.info('nothing to warn of any more');
      current = found;
      onChange(found);
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
