import { ServiceError } from '@esd/service/errors';

/** Asks again, as a caller does, while a copy is behind the dataset: filling it can take longer than it lets a caller wait. */
export async function onceThere<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'UNAVAILABLE')) throw error;
    }
  }
}
