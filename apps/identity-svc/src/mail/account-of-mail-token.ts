import type { Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { lockAccountById } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import { opaqueTokenHash } from '../opaque-token.ts';
import type { IdentityTables } from '../tables.ts';
import type { TokenPurpose } from './mail.table.ts';
import { findMailToken } from './mail-token.store.ts';

/**
 * Returns the account of a mail token and locks it. Throws TOKEN_INVALID, TOKEN_EXPIRED, or TOKEN_REVOKED for a used or
 * voided token.
 */
export async function accountOfMailToken(
  transaction: Transaction<IdentityTables>,
  token: string,
  purpose: TokenPurpose,
): Promise<AccountRow> {
  const hash = opaqueTokenHash(token);
  const found = hash && (await findMailToken(transaction, hash, purpose));
  // The lock serializes uses of the account's tokens, so the token is read again once the lock is held.
  const account = found && (await lockAccountById(transaction, found.accountId));
  const current = account && (await findMailToken(transaction, hash, purpose));
  if (!current || !account.enabled) {
    throw new ServiceError('TOKEN_INVALID', 'The token is not valid; use the complete link from the newest email.');
  }
  if (current.usedAt !== null) {
    throw new ServiceError(
      'TOKEN_REVOKED',
      'This link was already used or replaced by a newer one; sign in, or use the link from the newest email.',
    );
  }
  if (current.expiresAt <= new Date()) {
    throw new ServiceError('TOKEN_EXPIRED', 'This link has expired; request a new email.');
  }
  return account;
}
