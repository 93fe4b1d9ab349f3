import type { Answer } from './api.ts';

/** One request of a load and what became of it. */
export interface Attempt {
  /** Undefined when there was no answer at all, or only a part of one. */
  answer: Answer | undefined;
  /** Why there was none: `cut` when the answer had begun. */
  failure: 'none' | 'unanswered' | 'cut';
  startedAt: number;
  ms: number;
}

export interface Load {
  /** All finished requests so far. */
  attempts: Attempt[];
  /** Ends the load once the requests that run are answered; throws what a request threw beside a failed connection. */
  stop(): Promise<Attempt[]>;
}

const running = new Set<Load>();

/** Ends every load that still runs; for `afterEach`, so that a test that failed leaves none behind. */
export async function stopLoads(): Promise<void> {
  await Promise.all([...running].map((load) => load.stop()));
}

/** Sends requests from `workers` loops, each one after the other, until it is stopped. */
export function startLoad(workers: number, ask: (number: number) => Promise<Answer>): Load {
  const attempts: Attempt[] = [];
  let stopped = false;
  let number = 0;
  const loop = async (): Promise<void> => {
    while (!stopped) {
      const startedAt = Date.now();
      const one = await attempt(() => ask(number++));
      attempts.push({ ...one, startedAt, ms: Date.now() - startedAt });
      // A refusal comes at once: without a pause the loop would only measure itself.
      if (one.answer === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const loops = Promise.all(Array.from({ length: workers }, loop));
  // Reported to what stops the load.
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
    // What fetch says of a connection that failed after, or before, the answer had begun. Its errors are of another realm
    // than those of a test, so that instanceof does not know them.
    if (String(error) === 'TypeError: terminated') return { answer: undefined, failure: 'cut' };
    if (String(error) === 'TypeError: fetch failed') return { answer: undefined, failure: 'unanswered' };
    throw error;
  }
}

/** How many attempts there are of each kind: status, or why there was no answer. */
export function outcomes(attempts: readonly Attempt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer, failure } of attempts) {
    const kind = String(answer?.status ?? failure);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
