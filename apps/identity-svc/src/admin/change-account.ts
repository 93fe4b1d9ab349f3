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
 * Changes the role of an account. Throws ACCOUNT_NOT_FOUND, CONFLICT for the last enabled ADMIN, and FORBIDDEN when the
 * caller is no longer an ADMIN.
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
 * Enables or disables an account. Disabling ends its sessions and suspends its personal access tokens. Throws the
 * errors of `setAccountRole`.
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

/** Locks the account and changes it, if the caller is still an enabled ADMIN. */
async function asAdmin(
  database: Kysely<IdentityTables>,
  caller: Caller,
  accountId: string,
  change: (transaction: Transaction<IdentityTables>, account: AccountRow) => Promise<AccountRow | undefined>,
): Promise<AccountRow> {
  return await database.transaction().execute(async (transaction) => {
    await lockAdmins(transaction);
    const own = await findAccountById(transaction, caller.accountId);
    // Another ADMIN may have changed the caller's account after the request was authorized.
    if (own?.role !== 'ADMIN' || !own.enabled) {
      throw new ServiceError('FORBIDDEN', 'This requires the role ADMIN, which your account no longer has.');
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
