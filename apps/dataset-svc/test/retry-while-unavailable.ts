import { ServiceError } from '@esd/service/errors';

/** Retries like a caller while the index is behind. Filling it can take longer than the index waits. */
export async function retryWhileUnavailable<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'UNAVAILABLE')) throw error;
    }
  }
}
