import pg from 'pg';
import { query } from './database.ts';
import { eventually } from './eventually.ts';

const LOCK = 4_711;

/** Which statements wait: before a row is written, or at the commit of the transaction that inserted it. */
export interface HoldPlace {
  table: string;
  at: 'insert' | 'update' | 'commit';
  /** A condition on `new`, of an update on `old` too. */
  when?: string;
}

/** A place in a database where statements wait as long as a test holds them there. */
export interface Hold {
  /** Waits until a statement has come there. */
  reached(): Promise<void>;
  /** Ends the statement that waits there, with its connection: nothing comes of it. */
  cut(): Promise<void>;
  /** Lets what waits go on, and holds nothing any more. */
  release(): Promise<void>;
}

/** Holds statements in the database at `url`; one place at a time. */
export async function holdStatement(url: string, { table, at, when = 'true' }: HoldPlace): Promise<Hold> {
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
  const waiting = `select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`;
  const until = (accept: (count: number) => boolean) =>
    eventually(
      () => query(url, waiting),
      ({ length }) => accept(length),
      30_000,
    );
  return {
    reached: async () => {
      await until((count) => count > 0);
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
