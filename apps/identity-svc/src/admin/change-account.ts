import type { Kysely, Transaction } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { findAccountById, lockAccountById, lockAdmins, updateAccount } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import type { AccountRole } from '@esd/proto/account-role';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import { queueNotice } from '../mail/notice.ts';
import { endSessionsOfAccount } from '../session/session.store.ts';
import type { IdentityTables } from '../tables.ts';
import { refuseLastAdmin } from '../account/last-admin.ts';

/**
 * Gives an account a role, which acts on its next request. Throws ACCOUNT_NOT_FOUND, CONFLICT for the last enabled ADMIN,
 * FORBIDDEN when the caller is no ADMIN any more.
 */
export async function setAccountRole(
  database: Kysely<IdentityTables>,
  caller: Caller,
  accountId: string,
  role: AccountRole,
  origin: AuditOrigin,
): Promise<AccountRow> {
  return await asAdmin(database, caller, accountId, async (transaction, account) => {
    if (account.role === role) return account;
    if (role !== 'ADMIN') await refuseLastAdmin(transaction, account);
    const details = { from: account.role, to: role };
    await queueNotice(transaction, accountId, 'role-changed', details);
    const entry = { action: 'role-changed', actor: caller.accountId, subject: accountId, details };
    await writeAudit(transaction, entry, origin);
    return await updateAccount(transaction, accountId, { role });
  });
}

/**
 * Enables or disables an account. Disabling ends its sessions, and its personal access tokens rest until it is enabled.
 * Throws as setAccountRole.
 */
export async function setAccountEnabled(
  database: Kysely<IdentityTables>,
  caller: Caller,
  accountId: string,
  enabled: boolean,
  origin: AuditOrigin,
): Promise<AccountRow> {
  return await asAdmin(database, caller, accountId, async (transaction, account) => {
    if (account.enabled === enabled) return account;
    if (!enabled) {
      await refuseLastAdmin(transaction, account);
      await endSessionsOfAccount(transaction, accountId);
    }
    const action = enabled ? 'account-enabled' : 'account-disabled';
    await writeAudit(transaction, { action, actor: caller.accountId, subject: accountId }, origin);
    return await updateAccount(transaction, accountId, { enabled });
  });
}

/** Runs a change of an account, which is held meanwhile, while the caller is an enabled ADMIN at this moment. */
async function asAdmin(
  database: Kysely<IdentityTables>,
  caller: Caller,
  accountId: string,
  change: (transaction: Transaction<IdentityTables>, account: AccountRow) => Promise<AccountRow | undefined>,
): Promise<AccountRow> {
  return await database.transaction().execute(async (transaction) => {
    await lockAdmins(transaction);
    const own = await findAccountById(transaction, caller.accountId);
    // Another ADMIN may have changed it since the request was let in.
    if (own?.role !== 'ADMIN' || !own.enabled) {
      throw new ServiceError('FORBIDDEN', 'This needs the role ADMIN, which this account has no longer.');
    }
    const account = await lockAccountById(transaction, accountId);
    if (!account) throw accountNotFound(accountId);
    const changed = await change(transaction, account);
    if (!changed) throw accountNotFound(accountId);
    return changed;
  });
}

function accountNotFound(accountId: string): ServiceError {
  return new ServiceError('ACCOUNT_NOT_FOUND', `There is no account ${accountId}.`);
}
