import type { Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { lockAccountById } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import { opaqueTokenHash } from '../opaque-token.ts';
import type { IdentityTables } from '../tables.ts';
import type { TokenPurpose } from './mail.table.ts';
import { findMailToken } from './mail-token.store.ts';

/**
 * The account to which a token of a mail gives access, held until the transaction ends. Of two who come with a token at
 * once the second finds it used. Throws TOKEN_INVALID, TOKEN_EXPIRED, or TOKEN_REVOKED when it was used or is void.
 */
export async function accountOfMailToken(
  transaction: Transaction<IdentityTables>,
  token: string,
  purpose: TokenPurpose,
): Promise<AccountRow> {
  const hash = opaqueTokenHash(token);
  const found = hash && (await findMailToken(transaction, hash, purpose));
  // The account's lock puts everyone who comes with one of its tokens in order; only after it the token counts.
  const account = found && (await lockAccountById(transaction, found.accountId));
  const held = account && (await findMailToken(transaction, hash, purpose));
  if (!held || !account.enabled) {
    throw new ServiceError(
      'TOKEN_INVALID',
      'The token is not one of our mails; take the whole link of the newest mail.',
    );
  }
  if (held.usedAt !== null) {
    throw new ServiceError(
      'TOKEN_REVOKED',
      'This link was used already, or a newer one has replaced it; log in, or take the link of the newest mail.',
    );
  }
  if (held.expiresAt <= new Date()) {
    throw new ServiceError('TOKEN_EXPIRED', 'This link is too old; ask for a new mail.');
  }
  return account;
}
