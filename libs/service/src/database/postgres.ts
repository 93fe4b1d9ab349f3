import { type Dialect, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Logger } from '../health/log.ts';

// Ids, revisions and counts stay far below 2^53, so that 64-bit integers are read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const CONNECT_MS = 2_000;
const STATEMENT_MS = 10_000;

/**
 * Opens a service's database. Every wait has an end: connecting 2 s, a statement 10 s unless another time is given (the
 * server stops it then, the driver gives up a little later when the server is silent), a lock 5 s, an idle transaction 10 s.
 */
export function openDatabase<Tables>(
  url: string,
  connections: number,
  log: Logger,
  statementMs = STATEMENT_MS,
): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: postgresDialect(url, connections, log, statementMs) });
}

function postgresDialect(url: string, connections: number, log: Logger, statementMs: number): Dialect {
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
  // A connection that breaks is replaced at the next use; without a listener the process would end. The pool listens to
  // the idle ones only; one in use can break between two of its statements.
  pool.on('error', (err) => {
    log.warn({ err }, 'an idle database connection broke');
  });
  pool.on('connect', (client) => {
    client.on('error', (err) => {
      log.debug({ err }, 'a database connection broke');
    });
  });
  return new PostgresDialect({ pool });
}

/** One round trip to the database; throws when it does not answer within its deadlines. */
export async function pingDatabase<Tables>(database: Kysely<Tables>): Promise<void> {
  await sql`select 1`.execute(database);
}

/** The size of the database in bytes. Throws when it does not answer within its deadlines. */
export async function databaseSize<Tables>(database: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(database);
  return rows[0]?.bytes ?? 0;
}
