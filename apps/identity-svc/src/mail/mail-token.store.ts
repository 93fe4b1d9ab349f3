import type { Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import type { TokenPurpose } from './mail.table.ts';

export interface MailTokenState {
  accountId: string;
  expiresAt: Date;
  usedAt: Date | null;
}

/** Stores the token of a mail and deletes the token of an earlier attempt to send it. */
export async function replaceMailToken(
  transaction: Transaction<IdentityTables>,
  token: { hash: Buffer; purpose: TokenPurpose; accountId: string; mailId: string; expiresAt: Date },
): Promise<void> {
  await transaction.deleteFrom('mail_token').where('mail_id', '=', token.mailId).execute();
  await transaction
    .insertInto('mail_token')
    .values({
      token_hash: token.hash,
      purpose: token.purpose,
      account_id: token.accountId,
      mail_id: token.mailId,
      expires_at: token.expiresAt,
    })
    .execute();
}

export async function findMailToken(
  transaction: Transaction<IdentityTables>,
  tokenHash: Buffer,
  purpose: TokenPurpose,
): Promise<MailTokenState | undefined> {
  return await transaction
    .selectFrom('mail_token')
    .select(['account_id as accountId', 'expires_at as expiresAt', 'used_at as usedAt'])
    .where('token_hash', '=', tokenHash)
    .where('purpose', '=', purpose)
    .executeTakeFirst();
}

export async function voidMailTokens(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  purposes: readonly TokenPurpose[],
): Promise<void> {
  await transaction
    .updateTable('mail_token')
    .set({ used_at: new Date() })
    .where('account_id', '=', accountId)
    .where('purpose', 'in', purposes)
    .where('used_at', 'is', null)
    .execute();
}
