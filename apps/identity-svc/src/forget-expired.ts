import type { Kysely } from 'kysely';
import type { Logger } from '@esd/service/log';
import { eraseAuditOriginsOlderThan } from './audit/write-audit.ts';
import { forgetGuesses } from './guess/forget-guesses.ts';
import { deleteExpiredSessions } from './session/session.store.ts';
import type { IdentityTables } from './tables.ts';

const EVERY_MINUTES = 10;
const KEEP_SESSIONS_DAYS = 30;
const BATCH = 5_000;

/**
 * Forgets what was kept for a time only: counts of wrong passwords, sessions that expired 30 days ago, and client addresses
 * of the audit trail after `auditAddressDays`.
 */
export async function forgetExpired(database: Kysely<IdentityTables>, auditAddressDays: number): Promise<void> {
  await forgetGuesses(database);
  while ((await deleteExpiredSessions(database, KEEP_SESSIONS_DAYS, BATCH)) === BATCH);
  while ((await eraseAuditOriginsOlderThan(database, auditAddressDays, BATCH)) === BATCH);
}

/** Does so every 10 minutes, until it is stopped. */
export function startForgetting(
  database: Kysely<IdentityTables>,
  auditAddressDays: number,
  log: Logger,
): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = forgetExpired(database, auditAddressDays).catch((err: unknown) => {
      log.warn({ err }, 'what has expired could not be removed; it will be later');
    });
  }, EVERY_MINUTES * 60_000);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
