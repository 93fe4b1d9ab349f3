import type { Kysely } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { IdentityTables } from '../tables.ts';
import { lockOwnToken, markTokenRevoked } from './token.store.ts';

/** Revokes a token of the caller. Idempotent. Throws TOKEN_NOT_FOUND, also for a token of another account. */
export async function revokeToken(
  database: Kysely<IdentityTables>,
  { accountId }: Caller,
  id: number,
  origin: AuditOrigin,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const token = await lockOwnToken(transaction, accountId, id);
    if (!token) throw tokenNotFound(id);
    if (token.status === 'REVOKED') return;
    await markTokenRevoked(transaction, id);
    const details = { token: String(id) };
    await writeAudit(transaction, { action: 'token-revoked', actor: accountId, subject: accountId, details }, origin);
  });
}

export function tokenNotFound(id: number): ServiceError {
  return new ServiceError('TOKEN_NOT_FOUND', `You have no token ${id}.`);
}
