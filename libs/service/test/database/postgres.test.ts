import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createDatabase } from '@esd/testing/servers';
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
