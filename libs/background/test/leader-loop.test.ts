import { afterAll, afterEach, expect, test } from '@jest/globals';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { type Kysely, sql } from 'kysely';
import { lockUntilCommit, tryWithLock } from '../src/advisory-lock.ts';
import { type LeaderLoop, leaderLoop } from '../src/leader-loop.ts';
import { logLines } from './log-lines.ts';

const LOCK = 4_711;
const CHANNEL = 'test_channel';
const { log } = logLines();

const { url: databaseUrl, drop } = await createDatabase('background');
const database = openDatabase(databaseUrl, 8, log);
afterAll(async () => {
  await database.destroy();
  await drop();
});
const loops: LeaderLoop[] = [];
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.stop();
});

function eventLog() {
  const entries: string[] = [];
  let more = Promise.withResolvers<undefined>();
  return {
    entries,
    add: (what: string): void => {
      entries.push(what);
      more.resolve(undefined);
      more = Promise.withResolvers();
    },
    count: async (number: number): Promise<void> => {
      while (entries.length < number) await more.promise;
    },
  };
}

function startLoop(turn: (connection: Kysely<unknown>) => Promise<boolean>, { pollMs = 3_600_000 } = {}): LeaderLoop {
  const loop = leaderLoop({ name: 'test', database, databaseUrl, lock: LOCK, channel: CHANNEL, pollMs, turn, log });
  loops.push(loop);
  return loop;
}

const notify = (): Promise<unknown> => sql`select pg_notify(${CHANNEL}, '')`.execute(database);

test('one of two replicas leads, and the other takes over when it stops', async () => {
  const { entries, add, count } = eventLog();
  const turnOf = (name: string) => () => {
    add(name);
    return Promise.resolve(false);
  };
  const first = startLoop(turnOf('first'), { pollMs: 10 });
  await count(1);
  startLoop(turnOf('second'), { pollMs: 10 });
  await count(10);
  expect(new Set(entries)).toEqual(new Set(['first']));
  await first.stop();
  const turns = entries.length;
  await count(turns + 1);
  expect(new Set(entries.slice(turns))).toEqual(new Set(['second']));
});

test('a notification starts a turn, and a turn with remaining work starts the next', async () => {
  const { add, count, entries } = eventLog();
  let left = 0;
  startLoop(() => {
    add('turn');
    left -= 1;
    return Promise.resolve(left > 0);
  });
  // The first turn, and one after the loop has begun to listen.
  await count(2);
  left = 3;
  await notify();
  await count(5);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(entries).toHaveLength(5);
});

test('a failed turn is retried', async () => {
  const { add, count } = eventLog();
  startLoop(() => {
    add('turn');
    return Promise.reject(new Error('failed'));
  });
  await count(3);
});

test('a loop acquires the lock again after its connection is lost', async () => {
  const { add, count } = eventLog();
  startLoop(
    async (connection) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
      add(`a turn in session ${rows[0]?.pid ?? ''}`);
      return false;
    },
    { pollMs: 10 },
  );
  await count(1);
  const locks = sql<{ pid: number }>`select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK}`;
  const sessions = async (): Promise<number[]> => (await locks.execute(database)).rows.map(({ pid }) => pid);
  const [first] = await sessions();
  await sql`select pg_terminate_backend(${first})`.execute(database);
  for (let now = await sessions(); now.length === 0 || now.includes(first ?? 0); now = await sessions());
});

test('only one caller at a time runs work under a lock, and the others skip it', async () => {
  const [begun, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const first = tryWithLock(database, 'a text', async () => {
    begun.resolve(undefined);
    await end.promise;
    return 'first';
  });
  await begun.promise;
  expect(await tryWithLock(database, 'a text', () => Promise.resolve('second'))).toBeUndefined();
  expect(await tryWithLock(database, 'another text', () => Promise.resolve('third'))).toBe('third');
  end.resolve(undefined);
  expect(await first).toBe('first');
  await expect(tryWithLock(database, 'a text', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await tryWithLock(database, 'a text', () => Promise.resolve('fourth'))).toBe('fourth');
});

test('a lock until the commit blocks other transactions', async () => {
  const order: string[] = [];
  const [locked, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const first = database.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, 'a row that does not exist yet');
    locked.resolve(undefined);
    await end.promise;
    order.push('first');
  });
  await locked.promise;
  const second = database.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, 'a row that does not exist yet');
    order.push('second');
  });
  const waits = sql`select from pg_locks where locktype = 'advisory' and not granted`;
  while ((await waits.execute(database)).rows.length === 0) await new Promise(setImmediate);
  end.resolve(undefined);
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});
