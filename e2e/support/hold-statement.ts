import pg from 'pg';
import { query } from './database.ts';
import { eventually } from '@esd/testing/eventually';

const LOCK = 4_711;

/** The statements that wait: before a row is written, or at the commit of the transaction that inserted it. */
export interface HoldPoint {
  table: string;
  at: 'insert' | 'update' | 'commit';
  /** A condition on `new`, and on `old` for an update. */
  when?: string;
}

/** A point in a database at which statements wait until the test releases them. */
export interface Hold {
  /** Waits until a statement waits at this point. */
  reached(timeoutMs?: number): Promise<void>;
  /** Terminates the connection of the waiting statement, which rolls it back. */
  cut(): Promise<void>;
  /** Releases the waiting statements and removes the point. */
  release(): Promise<void>;
}

/** Blocks statements in the database at `url`, at one point at a time. */
export async function holdStatement(url: string, { table, at, when = 'true' }: HoldPoint): Promise<Hold> {
  const blocker = new pg.Client({ connectionString: url, query_timeout: 20_000 });
  await blocker.connect();
  await blocker.query(`select pg_advisory_lock(${LOCK})`);
  await blocker.query(
    `create or replace function wait_for_test() returns trigger language plpgsql as
     $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$`,
  );
  await blocker.query(
    at === 'commit'
      ? `create constraint trigger wait_for_test after insert on ${table} deferrable initially deferred
         for each row when (${when}) execute function wait_for_test()`
      : `create trigger wait_for_test before ${at} on ${table}
         for each row when (${when}) execute function wait_for_test()`,
  );
  // pg_locks lists the locks of all databases.
  const waiting = `select pid from pg_locks join pg_database on oid = database and datname = current_database()
    where locktype = 'advisory' and objid = ${LOCK} and not granted`;
  const until = (accept: (count: number) => boolean, timeoutMs = 60_000) =>
    eventually(
      () => query(url, waiting),
      ({ length }) => accept(length),
      timeoutMs,
    );
  return {
    reached: async (timeoutMs) => {
      await until((count) => count > 0, timeoutMs);
    },
    cut: async () => {
      await query(url, `select pg_terminate_backend(pid) from (${waiting}) as waits`);
      await until((count) => count === 0);
    },
    release: async () => {
      await blocker.query(`select pg_advisory_unlock(${LOCK})`);
      await blocker.query(`drop trigger wait_for_test on ${table}`);
      await blocker.end();
    },
  };
}
