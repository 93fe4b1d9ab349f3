import { Kysely, type LogEvent, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Logger } from '../health/log.ts';
import { ATTRIBUTE, errorType, isTracing, startSpan } from '../health/traces.ts';

// Ids, revisions and counts stay far below 2^53, so 64-bit integers can be read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const CONNECT_SECONDS = 2;
const STATEMENT_MS = 10_000;

/**
 * The settings of each connection, as the libpq parameter `options`. They end a session within a minute after its machine
 * was lost. Otherwise, PostgreSQL would hold the advisory locks of the session for two hours.
 */
export const SESSION_OPTIONS = [
  'tcp_keepalives_idle=30',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
  // A response that was not acknowledged suspends keepalives.
  'tcp_user_timeout=60000',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

// No statement contains data, because data are parameters. This also holds for statements that are added later.
const QUOTED = /'(?:[^']|'')*'/g;

/**
 * Opens the database of a service. Timeouts: connecting 2 s unless the URL has the libpq parameter `connect_timeout`
 * (seconds), a statement `statementMs`, a lock 5 s, an idle transaction 10 s. The driver waits 1 s longer for a statement
 * than the server does.
 */
export function openDatabase<Tables>(
  url: string,
  connections: number,
  log: Logger,
  statementMs = STATEMENT_MS,
): Kysely<Tables> {
  return databaseOf(openPool(url, connections, log, statementMs), url);
}

/** Returns the database of the connections from `openPool`. */
export function databaseOf<Tables>(pool: pg.Pool, url: string): Kysely<Tables> {
  const log = isTracing() ? { log: statementSpans(new URL(url).pathname.slice(1)) } : {};
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), ...log });
}

/** Returns a function that creates the span of a statement after it ran. It never reads the parameters. */
function statementSpans(database: string): (event: LogEvent) => void {
  return (event) => {
    const text = event.query.sql.trim();
    const span = startSpan({
      kind: 'CLIENT',
      name: /^\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL',
      attributes: () => ({
        [ATTRIBUTE.dbSystem]: 'postgresql',
        [ATTRIBUTE.dbNamespace]: database,
        [ATTRIBUTE.dbQuery]: text.replaceAll(QUOTED, '?'),
      }),
      startedAt: performance.now() - event.queryDurationMillis,
    });
    span.end({}, event.level === 'error' ? errorType(event.error) : undefined);
  };
}

/** Opens the connections of `openDatabase`. */
export function openPool(url: string, connections: number, log: Logger, statementMs = STATEMENT_MS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    options: SESSION_OPTIONS,
    max: connections,
    connectionTimeoutMillis: Number(URL.parse(url)?.searchParams.get('connect_timeout') ?? CONNECT_SECONDS) * 1_000,
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
