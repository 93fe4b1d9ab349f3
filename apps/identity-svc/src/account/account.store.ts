import { type Kysely, sql, type Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import type { AccountRow, NewAccountRow } from './account.table.ts';

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

/** Makes everyone else who creates the first ADMIN wait until this transaction has ended. */
export async function lockFirstAdmin(transaction: Transaction<IdentityTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('esd-identity first admin', 0))`.execute(transaction);
}

/** The new account; undefined when its e-mail is taken. */
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

/**
 * Holds an account as it is until the transaction ends. False when it was deleted or disabled, or when its password
 * was changed since `passwordHash` was read.
 */
export async function lockAccountUnchanged(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  passwordHash: string,
): Promise<boolean> {
  const account = await transaction
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('enabled', '=', true)
    .where('password_hash', '=', passwordHash)
    .forShare()
    .executeTakeFirst();
  return account !== undefined;
}
