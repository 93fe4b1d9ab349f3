import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** Returns false for errors that end the retries. */
  retriable?: (error: unknown) => boolean;
  /** Usually a `failureLog`. */
  onFailure: (error: unknown) => void;
  signal?: AbortSignal | undefined;
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;

/**
 * Retries until success, with waits that double from 0.1 s to 5 s. An attempt longer than 5 s resets the wait.
 * Throws if the error is not retriable or the signal aborts.
 */
export async function retryForever<Result>(attempt: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    const started = performance.now();
    try {
      return await attempt();
    } catch (error) {
      if (options.signal?.aborted || options.retriable?.(error) === false) throw error;
      if (performance.now() - started > MAX_WAIT_MS) waitMs = FIRST_WAIT_MS;
      options.onFailure(error);
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  }
}
