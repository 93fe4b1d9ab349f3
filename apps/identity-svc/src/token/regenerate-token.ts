import type { Kysely } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { IdentityTables } from '../tables.ts';
import { refuseEndedSession } from '../session/session.store.ts';
import { notifyNewToken, type TokenWithSecret } from './create-token.ts';
import { tokenNotFound } from './revoke-token.ts';
import { insertTokenSecret, lockOwnToken, lockTokenOwner, markTokenSecretReplaced } from './token.store.ts';
import { newTokenSecret } from './token-secret.ts';

/**
 * Replaces the secret of a token, but not its name or expiry. Throws TOKEN_NOT_FOUND (also for a token of another
 * account), CONFLICT for a revoked or expired token, and TOKEN_REVOKED if the session has ended.
 */
export async function regenerateToken(
  database: Kysely<IdentityTables>,
  caller: Caller,
  id: number,
  origin: AuditOrigin,
): Promise<TokenWithSecret> {
  const { accountId } = caller;
  const { secret, hash, prefix } = newTokenSecret();
  return await database.transaction().execute(async (transaction) => {
    if (!(await lockTokenOwner(transaction, accountId))) throw tokenNotFound(id);
    await refuseEndedSession(transaction, caller);
    const token = await lockOwnToken(transaction, accountId, id);
    if (!token) throw tokenNotFound(id);
    if (token.status !== 'ACTIVE') {
      const state = token.status.toLowerCase();
      throw new ServiceError('CONFLICT', `Token ${id} is ${state}; create a new one instead.`);
    }
    await markTokenSecretReplaced(transaction, id);
    await insertTokenSecret(transaction, id, { hash, prefix });
    const details = { token: String(id) };
    await writeAudit(
      transaction,
      { action: 'token-regenerated', actor: accountId, subject: accountId, details },
      origin,
    );
    await notifyNewToken(transaction, accountId, { prefix, expiresAt: token.expiresAt });
    return { secret, token: { ...token, prefix } };
  });
}
