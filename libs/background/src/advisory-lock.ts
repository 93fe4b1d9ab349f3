import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';

/** The key of an advisory lock within a database: a number, or a text that PostgreSQL hashes. */
export type LockKey = number | string;

/** Acquires the lock for the session of this connection; returns false if another session holds it. */
export async function tryLock<Tables>(connection: Kysely<Tables>, key: LockKey): Promise<boolean> {
  const query = sql<{ locked: boolean }>`select pg_try_advisory_lock(${keyValue(key)}) as locked`;
  const { rows } = await query.execute(connection);
  return rows[0]?.locked ?? false;
}

export async function unlock<Tables>(connection: Kysely<Tables>, key: LockKey): Promise<void> {
  await sql`select pg_advisory_unlock(${keyValue(key)})`.execute(connection);
}

/**
 * Runs `work` while a separate connection holds the lock. Returns undefined without running it if another session holds
 * the lock.
 */
export async function tryWithLock<Tables, Result>(
  database: Kysely<Tables>,
  key: LockKey,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return await database.connection().execute(async (connection) => {
    if (!(await tryLock(connection, key))) return undefined;
    try {
      return await work();
    } finally {
      await unlock(connection, key);
    }
  });
}

/** Acquires the lock until the transaction ends. Throws after the lock timeout. */
export async function lockUntilCommit<Tables>(transaction: Transaction<Tables>, key: LockKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(${keyValue(key)})`.execute(transaction);
}

/** Acquires the lock in shared mode until the transaction ends; conflicts with `lockUntilCommit`. */
export async function shareLockUntilCommit<Tables>(transaction: Transaction<Tables>, key: LockKey): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${keyValue(key)})`.execute(transaction);
}

function keyValue(key: LockKey): RawBuilder<number> {
  return typeof key === 'number' ? sql`${key}::bigint` : sql`hashtextextended(${key}, 0)`;
}
