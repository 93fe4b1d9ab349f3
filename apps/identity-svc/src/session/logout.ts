import type { Kysely } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import { opaqueTokenHash } from '../opaque-token.ts';
import type { IdentityTables } from '../tables.ts';
import { findRefreshToken } from './refresh-token.store.ts';
import { endOwnSession, endSession, endSessionsOfAccount } from './session.store.ts';

export async function logout(database: Kysely<IdentityTables>, { sessionId }: Caller): Promise<void> {
  if (sessionId === undefined) throw new Error('the caller has no session id');
  await database.transaction().execute((transaction) => endSession(transaction, sessionId));
}

/** Ends the session of a refresh token, even if the token is used or expired. Ignores an unknown token. */
export async function endByRefreshToken(database: Kysely<IdentityTables>, refreshToken: string): Promise<void> {
  const hash = opaqueTokenHash(refreshToken);
  const known = hash && (await findRefreshToken(database, hash));
  if (known) await database.transaction().execute((transaction) => endSession(transaction, known.sessionId));
}

/** Ends a session of the caller. Throws SESSION_NOT_FOUND, also for a session of another account. */
export async function endOneSession(
  database: Kysely<IdentityTables>,
  { accountId }: Caller,
  sessionId: string,
  origin: AuditOrigin,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    if (!(await endOwnSession(transaction, accountId, sessionId))) {
      throw new ServiceError('SESSION_NOT_FOUND', `You have no active session ${sessionId}.`);
    }
    await writeAudit(transaction, { action: 'session-ended', actor: accountId, subject: accountId }, origin);
  });
}

/** Ends all sessions of the caller. Personal access tokens remain valid. */
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
