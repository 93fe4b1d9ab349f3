import { type Kysely, sql } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import { accountOfMailToken } from '../mail/account-of-mail-token.ts';
import { voidMailTokens } from '../mail/mail-token.store.ts';
import { deleteWaitingVerifications } from '../mail/mail.store.ts';
import { opaqueTokenHash } from '../opaque-token.ts';
import type { IdentityTables } from '../tables.ts';
import { updateAccount } from '../account/account.store.ts';

/**
 * Verifies the email address of a registration. Returns true without a change if it was verified in the last 24 hours: the
 * mail scanner of a network often opens a link before its reader does. Throws the errors of `accountOfMailToken`.
 */
export async function verifyEmail(
  database: Kysely<IdentityTables>,
  token: string,
  origin: AuditOrigin,
): Promise<boolean> {
  try {
    await database.transaction().execute(async (transaction) => {
      const { id } = await accountOfMailToken(transaction, token, 'verify-email');
      await updateAccount(transaction, id, { email_verified: true });
      await deleteWaitingVerifications(transaction, id);
      await voidMailTokens(transaction, id, ['verify-email']);
      await writeAudit(transaction, { action: 'email-verified', actor: null, subject: id }, origin);
    });
    return false;
  } catch (error) {
    const isUsed = error instanceof ServiceError && error.code === 'TOKEN_REVOKED';
    if (isUsed && (await wasVerifiedRecently(database, token))) return true;
    throw error;
  }
}

/** Returns whether a token was used in the last 24 hours and its account has a verified address. */
export async function wasVerifiedRecently(database: Kysely<IdentityTables>, token: string): Promise<boolean> {
  const row = await database
    .selectFrom('mail_token')
    .innerJoin('account', 'account.id', 'mail_token.account_id')
    .select('account.id')
    .where('token_hash', '=', opaqueTokenHash(token) ?? null)
    .where('purpose', '=', 'verify-email')
    .where('used_at', '>', sql<Date>`now() - interval '24 hours'`)
    .where('email_verified', '=', true)
    .where('enabled', '=', true)
    .executeTakeFirst();
  return row !== undefined;
}
