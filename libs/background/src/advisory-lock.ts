import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';

/** Names an advisory lock within a database: a number, or a text of which PostgreSQL takes the hash. */
export type LockKey = number | string;

/** Takes the lock for the session of this connection; false when another session has it. */
export async function tryLock<Tables>(connection: Kysely<Tables>, key: LockKey): Promise<boolean> {
  const query = sql<{ locked: boolean }>`select pg_try_advisory_lock(${keyValue(key)}) as locked`;
  const { rows } = await query.execute(connection);
  return rows[0]?.locked ?? false;
}

/** Releases the lock that the session of this connection has. */
export async function unlock<Tables>(connection: Kysely<Tables>, key: LockKey): Promise<void> {
  await sql`select pg_advisory_unlock(${keyValue(key)})`.execute(connection);
}

/**
 * Does the work while holding the lock, on a connection that only holds it; undefined, without doing it, when another
 * session has the lock. Throws what the work throws.
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

/** Waits for the lock and holds it until the transaction ends. Throws when it is not free within the lock timeout. */
export async function lockUntilCommit<Tables>(transaction: Transaction<Tables>, key: LockKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(${keyValue(key)})`.execute(transaction);
}

/** Waits as `lockUntilCommit` does, but shares the lock with the transactions that take it by this function. */
export async function shareLockUntilCommit<Tables>(transaction: Transaction<Tables>, key: LockKey): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${keyValue(key)})`.execute(transaction);
}

function keyValue(key: LockKey): RawBuilder<number> {
  return typeof key === 'number' ? sql`${key}::bigint` : sql`hashtextextended(${key}, 0)`;
}
