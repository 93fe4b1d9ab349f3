import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** Errors for which it returns false end the tries. */
  retriable?: (error: unknown) => boolean;
  onFailure: (error: unknown, waitMs: number) => void;
  signal?: AbortSignal | undefined;
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;

/**
 * Tries until it works, waiting 0.1 s, then twice as long each time up to 5 s; an attempt that lasted longer than
 * that starts the waits anew. Throws when not retriable or aborted.
 */
export async function retryForever<Result>(attempt: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    const started = performance.now();
    try {
      return await attempt();
    } catch (error) {
      if (options.signal?.aborted || options.retriable?.(error) === false) throw error;
      if (performance.now() - started > MAX_WAIT_MS) waitMs = FIRST_WAIT_MS;
      options.onFailure(error, waitMs);
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  }
}
