import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createDatabase } from '@esd/testing/servers';
import { listen } from '../../src/database/pg-listen.ts';
import { openDatabase } from '../../src/database/postgres.ts';

test.each([
  ['the connect_timeout of the URL', '60', 'answered'],
  ['2 s without it', undefined, 'Error: timeout exceeded when trying to connect'],
])('a statement waits for a connection for %s', async (_, seconds, outcome) => {
  const { url, drop } = await createDatabase('postgres');
  const limited = new URL(url);
  limited.searchParams.delete('connect_timeout');
  if (seconds !== undefined) limited.searchParams.set('connect_timeout', seconds);
  const database = openDatabase(limited.href, 1, pino({ level: 'silent' }));
  try {
    await sql`select 1`.execute(database);
    const sleeping = sql`select pg_sleep(3)`.execute(database);
    const waiting = sql`select 1`.execute(database).then(
      () => 'answered',
      (error: unknown) => String(error),
    );
    expect(await waiting).toBe(outcome);
    await sleeping;
  } finally {
    await database.destroy();
    await drop();
  }
});

test('PostgreSQL ends the sessions of a lost machine within about a minute', async () => {
  const { url, drop } = await createDatabase('keepalives');
  const log = pino({ level: 'silent' });
  const database = openDatabase(url, 1, log);
  const settings = async () => {
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name like 'tcp%' order by name`.execute(database);
    return rows;
  };
  const expected = [
    { name: 'tcp_keepalives_count', setting: '3' },
    { name: 'tcp_keepalives_idle', setting: '30' },
    { name: 'tcp_keepalives_interval', setting: '10' },
    { name: 'tcp_user_timeout', setting: '60000' },
  ];
  try {
    expect(await settings()).toEqual(expected);
    // Stores the settings of the listening connection, which runs no statement of the test.
    await sql`create table login_setting as select name, setting from pg_settings where false`.execute(database);
    await sql`
      create function store_settings() returns event_trigger language plpgsql as $$ begin
        insert into login_setting select name, setting from pg_settings where name like 'tcp%' order by name;
      end $$`.execute(database);
    await sql`create event trigger on_login on login execute function store_settings()`.execute(database);
    const { promise: listening, resolve } = Promise.withResolvers<void>();
    const stop = listen(url, 'changes', resolve, log);
    await listening;
    await stop();
    const { rows } = await sql`select name, setting from login_setting`.execute(database);
    expect(rows).toEqual(expected);
  } finally {
    await database.destroy();
    await drop();
  }
});
