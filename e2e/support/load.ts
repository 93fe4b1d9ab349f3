import type { Answer } from './api.ts';

/** One request of a load with its outcome. */
export interface Attempt {
  /** Undefined if there was no response, or only a part of one. */
  answer: Answer | undefined;
  /** The reason for a missing status: `cut` if the response had begun. */
  failure: 'none' | 'unanswered' | 'cut';
  startedAt: number;
  ms: number;
}

export interface Load {
  /** All finished requests so far. */
  attempts: Attempt[];
  /** Stops the load after its running requests. Throws the first error of a request other than a failed connection. */
  stop(): Promise<Attempt[]>;
}

const running = new Set<Load>();

/** Stops every load that still runs; for `afterEach`, also after a failed test. */
export async function stopLoads(): Promise<void> {
  await Promise.all([...running].map((load) => load.stop()));
}

/** Sends requests from `workers` loops until it is stopped. */
export function startLoad(workers: number, ask: (number: number) => Promise<Answer>): Load {
  const attempts: Attempt[] = [];
  let stopped = false;
  let number = 0;
  const loop = async (): Promise<void> => {
    while (!stopped) {
      const startedAt = Date.now();
      const one = await attempt(() => ask(number++));
      attempts.push({ ...one, startedAt, ms: Date.now() - startedAt });
      // Without a pause, immediate rejections would dominate the load.
      if (one.answer === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const loops = Promise.all(Array.from({ length: workers }, loop));
  // `stop` throws it.
  loops.catch(() => undefined);
  const load = {
    attempts,
    stop: async () => {
      stopped = true;
      running.delete(load);
      await loops;
      return attempts;
    },
  };
  running.add(load);
  return load;
}

async function attempt(ask: () => Promise<Answer>): Promise<Pick<Attempt, 'answer' | 'failure'>> {
  try {
    return { answer: await ask(), failure: 'none' };
  } catch (error) {
    // The errors of fetch for a connection that failed before or after the response began. They come from another realm, so
    // instanceof does not match.
    if (String(error) === 'TypeError: terminated') return { answer: undefined, failure: 'cut' };
    if (String(error) === 'TypeError: fetch failed') return { answer: undefined, failure: 'unanswered' };
    throw error;
  }
}

/** Counts the attempts by status, or by the reason for a missing response. */
export function outcomes(attempts: readonly Attempt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer, failure } of attempts) {
    const kind = String(answer?.status ?? failure);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
