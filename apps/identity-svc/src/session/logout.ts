import type { Kysely } from 'kysely';
import type { Caller } from '@esd/service/assertion';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { IdentityTables } from '../tables.ts';
import { endSession, endSessionsOfAccount } from './session.store.ts';

/** Ends the session that the caller presented: its token and its refresh token count as revoked from now on. */
export async function logout(database: Kysely<IdentityTables>, { sessionId }: Caller): Promise<void> {
  if (sessionId === undefined) throw new Error('a session without an id');
  await database.transaction().execute((transaction) => endSession(transaction, sessionId));
}

/** Ends all sessions of the caller, this one included. Personal access tokens stay. */
export async function logoutAll(
  database: Kysely<IdentityTables>,
  { accountId }: Caller,
  origin: AuditOrigin,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await endSessionsOfAccount(transaction, accountId);
    await writeAudit(transaction, { action: 'logout-all', actor: accountId, subject: accountId }, origin);
  });
}
