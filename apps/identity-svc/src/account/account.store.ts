import type { Kysely, Transaction } from 'kysely';
import { lockUntilCommit } from '@esd/background/advisory-lock';
import type { IdentityTables } from '../tables.ts';
import type { AccountChanges, AccountRow, NewAccountRow } from './account.table.ts';

export async function findAccountById(
  database: Kysely<IdentityTables>,
  accountId: string,
): Promise<AccountRow | undefined> {
  return await database.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirst();
}

export async function findAccountByEmail(
  database: Kysely<IdentityTables>,
  normalizedEmail: string,
): Promise<AccountRow | undefined> {
  return await database
    .selectFrom('account')
    .selectAll()
    .where('email_normalized', '=', normalizedEmail)
    .executeTakeFirst();
}

export async function adminExists(database: Kysely<IdentityTables>): Promise<boolean> {
  const admin = await database
    .selectFrom('account')
    .select('id')
    .where('role', '=', 'ADMIN')
    .limit(1)
    .executeTakeFirst();
  return admin !== undefined;
}

/** Serializes changes to the set of enabled ADMIN accounts until this transaction ends. */
export async function lockAdmins(transaction: Transaction<IdentityTables>): Promise<void> {
  await lockUntilCommit(transaction, 'esd-identity admins');
}

export async function otherAdminExists(transaction: Transaction<IdentityTables>, accountId: string): Promise<boolean> {
  const other = await transaction
    .selectFrom('account')
    .select('id')
    .where('role', '=', 'ADMIN')
    .where('enabled', '=', true)
    .where('id', '<>', accountId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Inserts an account. Returns undefined if another account has the email address. */
export async function insertAccount(
  transaction: Transaction<IdentityTables>,
  row: NewAccountRow,
): Promise<AccountRow | undefined> {
  return await transaction
    .insertInto('account')
    .values(row)
    .onConflict((conflict) => conflict.column('email_normalized').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Locks an account until the transaction ends. Other changes of it and logins wait. */
export async function lockAccountById(
  transaction: Transaction<IdentityTables>,
  accountId: string,
): Promise<AccountRow | undefined> {
  return await transaction.selectFrom('account').selectAll().where('id', '=', accountId).forUpdate().executeTakeFirst();
}

export async function lockAccountByEmail(
  transaction: Transaction<IdentityTables>,
  normalizedEmail: string,
): Promise<AccountRow | undefined> {
  return await transaction
    .selectFrom('account')
    .selectAll()
    .where('email_normalized', '=', normalizedEmail)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateAccount(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  changes: AccountChanges,
): Promise<AccountRow | undefined> {
  return await transaction
    .updateTable('account')
    .set(changes)
    .where('id', '=', accountId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteAccountRow(transaction: Transaction<IdentityTables>, accountId: string): Promise<void> {
  await transaction.deleteFrom('account').where('id', '=', accountId).execute();
}

export async function insertDeletedAccount(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  deletedAt: Date,
): Promise<void> {
  await transaction.insertInto('deleted_account').values({ account_id: accountId, deleted_at: deletedAt }).execute();
}

/**
 * Locks an account. Returns false if it was deleted or disabled, or if its password changed after `passwordHash` was
 * read. For `change`, takes the lock of an update, because two upgrades of a shared lock would deadlock.
 */
export async function lockAccountUnchanged(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  passwordHash: string,
  then: 'read' | 'change',
): Promise<boolean> {
  const account = await transaction
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('enabled', '=', true)
    .where('password_hash', '=', passwordHash)
    .$call((query) => (then === 'change' ? query.forNoKeyUpdate() : query.forShare()))
    .executeTakeFirst();
  return account !== undefined;
}
