import type { Kysely } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { IdentityTables } from '../tables.ts';
import { findAccountById } from './account.store.ts';
import type { AccountRow } from './account.table.ts';

/**
 * Returns the caller's account. Throws AUTH_REQUIRED without a caller, TOKEN_REVOKED if the account was deleted or
 * disabled.
 */
export async function getOwnAccount(database: Kysely<IdentityTables>, caller: Caller | undefined): Promise<AccountRow> {
  if (!caller)
    throw new ServiceError('AUTH_REQUIRED', 'Send a session token or a personal access token as the bearer token.');
  const account = await findAccountById(database, caller.accountId);
  if (!account?.enabled) throw new ServiceError('TOKEN_REVOKED', 'The account of this token was deleted or disabled.');
  return account;
}
