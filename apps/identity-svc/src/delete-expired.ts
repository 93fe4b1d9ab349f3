import type { Kysely } from 'kysely';
import { eraseAuditOriginsOlderThan } from './audit/write-audit.ts';
import { deleteLapsedCounts } from './login-throttle/login-throttle.ts';
import { deleteExpiredSessions } from './session/session.store.ts';
import type { IdentityTables } from './tables.ts';

/** Days for which an expired session is stored. */
export const KEEP_SESSIONS_DAYS = 30;
const BATCH = 5_000;

export async function deleteExpired(database: Kysely<IdentityTables>, auditAddressDays: number): Promise<void> {
  await deleteLapsedCounts(database);
  while ((await deleteExpiredSessions(database, KEEP_SESSIONS_DAYS, BATCH)) === BATCH);
  while ((await eraseAuditOriginsOlderThan(database, auditAddressDays, BATCH)) === BATCH);
}
