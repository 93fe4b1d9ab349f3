import type { Logger } from '@esd/service/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { sweepKeys } from './idempotency.store.ts';

const EVERY_MS = 600_000;

/** Removes expired idempotency keys now and every ten minutes. Returns how to stop it. */
export function startKeySweeper(database: Kysely<Tables>, log: Logger): () => Promise<void> {
  let running = Promise.resolve();
  const sweep = (): void => {
    running = sweepKeys(database).then(
      (keys) => {
        if (keys > 0) log.debug({ keys }, 'expired idempotency keys removed');
      },
      (err: unknown) => {
        log.warn({ err }, 'expired idempotency keys could not be removed; they expire all the same');
      },
    );
  };
  sweep();
  const timer = setInterval(sweep, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
