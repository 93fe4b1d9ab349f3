import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { addToOutbox, outboxState, type OutboxTables } from '../src/outbox.ts';
import { SUBJECTS } from '../src/stream.ts';
import { createOutbox } from './outbox-table.ts';

const created = await createDatabase('outbox_state');
const { drop } = created;
const database = openDatabase<OutboxTables>(created.url, 2, pino({ level: 'silent' }));
await createOutbox(database);
afterAll(async () => {
  await database.destroy();
  await drop();
});

test('an outbox reports its due events that are unpublished, and the age of the oldest', async () => {
  expect(await outboxState(database)).toEqual({ waiting: 0, oldestSeconds: undefined });
  const event = { subject: SUBJECTS.recordApproved, body: Buffer.from('x') };
  await database.transaction().execute((transaction) => addToOutbox(transaction, [event, event, event]));
  await database.transaction().execute((transaction) => addToOutbox(transaction, [event], 3_600));
  await sql`update outbox set created_at = now() - interval '100 s' * (4 - sequence) where sequence < 4`.execute(
    database,
  );
  await sql`update outbox set published_at = now() where sequence = 1`.execute(database);
  const state = await outboxState(database);
  expect(state.waiting).toBe(2);
  expect(Math.floor((state.oldestSeconds ?? 0) / 100)).toBe(2);
});
