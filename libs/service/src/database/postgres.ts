import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Logger } from '../health/log.ts';

// Ids, revisions and counts stay far below 2^53, so 64-bit integers can be read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const CONNECT_MS = 2_000;
const STATEMENT_MS = 10_000;

/**
 * Opens the database of a service. Timeouts: connecting 2 s, a statement `statementMs`, a lock 5 s, an idle transaction
 * 10 s. The driver waits 1 s longer for a statement than the server does.
 */
export function openDatabase<Tables>(
  url: string,
  connections: number,
  log: Logger,
  statementMs = STATEMENT_MS,
): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: openPool(url, connections, log, statementMs) }) });
}

/** Opens the connections of `openDatabase`. */
export function openPool(url: string, connections: number, log: Logger, statementMs = STATEMENT_MS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    query_timeout: statementMs + 1_000,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    lock_timeout: STATEMENT_MS / 2,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  // The pool replaces broken connections. Without listeners, an error would end the process. The pool itself listens to idle
  // connections only, but a connection in use can break between two statements.
  pool.on('error', (err) => {
    log.warn({ err }, 'idle database connection lost');
  });
  pool.on('connect', (client) => {
    client.on('error', (err) => {
      log.debug({ err }, 'database connection lost');
    });
  });
  return pool;
}

/** Throws if the database does not respond within its timeouts. */
export async function pingDatabase<Tables>(database: Kysely<Tables>): Promise<void> {
  await sql`select 1`.execute(database);
}

/** Returns the size of the database in bytes. Throws if it does not respond within its timeouts. */
export async function databaseSize<Tables>(database: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(database);
  return rows[0]?.bytes ?? 0;
}
