import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { approveRecords } from '../../src/review/review.ts';
import type { Tables } from '../../src/tables.ts';
import { admin, moderator, openTestDatabase, storeRecords, user, reviewBy, refusal } from '../builders.ts';

let database: Kysely<Tables>;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

const approve = (ids: number[], reviewer = moderator, revision?: number, isBulk = false) =>
  approveRecords(
    database,
    ids.map((recordId) => ({ recordId, revision })),
    { ...reviewBy(reviewer), isBulk },
  );

const events = async () => {
  const rows = await database
    .selectFrom('outbox')
    .select(['subject', 'body'])
    .where('subject', '=', 'esd.record.approved.v1')
    .orderBy('sequence')
    .execute();
  return rows.map((row) => ({ subject: row.subject, event: RecordApproved.decode(row.body) }));
};

const stateOf = (id: number) =>
  database.selectFrom('record').select(['status', 'published_revision']).where('id', '=', id).executeTakeFirst();

test('an approval stores status, audit trail, and event together', async () => {
  const ids = await storeRecords(database, 2);
  const before = (await events()).length;
  const order = ids.toReversed();
  expect((await approve(order)).records).toEqual(
    order.map((recordId) => ({ recordId, status: 'APPROVED', revision: 1 })),
  );
  const [first = 0] = ids;
  expect(await stateOf(first)).toEqual({ status: 'APPROVED', published_revision: 1 });
  const added = (await events()).slice(before);
  expect(added.map(({ event }) => event.recordId)).toEqual(ids);
  expect(added[0]).toMatchObject({ subject: 'esd.record.approved.v1', event: { recordRevision: 1 } });
  expect(JSON.parse(Buffer.from(added[0]?.event.recordJson ?? []).toString())).toMatchObject({
    recordId: first,
    experimentId: first,
    polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }] },
  });
  const audit = await database.selectFrom('audit').selectAll().where('record_id', '=', first).orderBy('id').execute();
  expect(audit.map((entry) => [entry.action, entry.actor_account_id])).toEqual([
    ['submit', user.accountId],
    ['approve', moderator.accountId],
  ]);
});

test('if some records cannot be approved, none is, and the error names them', async () => {
  const [pending = 0, done = 0] = await storeRecords(database, 2);
  await approve([done]);
  const before = (await events()).length;
  expect(await refusal(approve([done]))).toEqual({ code: 'CONFLICT', message: expect.stringContaining('is APPROVED') });
  expect(await refusal(approve([pending, done, 999_999], moderator, undefined, true))).toEqual({
    code: 'CONFLICT',
    message: 'No record was approved: 2 of 3 cannot be approved; see `errors`.',
    errorCount: 2,
    errors: [
      expect.objectContaining({ recordId: done, code: 'CONFLICT', status: 'APPROVED' }),
      expect.objectContaining({ recordId: 999_999, code: 'RECORD_NOT_FOUND' }),
    ],
  });
  expect(await stateOf(pending)).toEqual({ status: 'PENDING', published_revision: null });
  expect(await events()).toHaveLength(before);
});

test('an approval is rolled back if its event cannot be stored', async () => {
  const [id = 0] = await storeRecords(database, 1);
  await sql`
    create function refuse_outbox() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test'; end $$`.execute(database);
  await sql`create trigger refuse before insert on outbox for each row execute function refuse_outbox()`.execute(
    database,
  );
  try {
    await expect(approve([id])).rejects.toThrow('refused');
  } finally {
    await sql`drop function refuse_outbox cascade`.execute(database);
  }
  expect(await stateOf(id)).toEqual({ status: 'PENDING', published_revision: null });
});

test('of concurrent approvals, one succeeds and adds the events', async () => {
  const ids = await storeRecords(database, 3);
  const before = (await events()).length;
  const backwards = [...ids].reverse();
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => approve(n % 2 === 0 ? ids : backwards)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await events()).length - before).toBe(3);
});

test('a revision other than the newest is a failed precondition', async () => {
  const ids = await storeRecords(database, 1);
  expect(await refusal(approve(ids, moderator, 2))).toMatchObject({ code: 'PRECONDITION_FAILED' });
  await approve(ids, moderator, 1);
});

test('users cannot approve, and only admins can approve their own records', async () => {
  const [own = 0] = await storeRecords(database, 1, moderator);
  await expect(approve([own], user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(approve([own], moderator))).toMatchObject({ code: 'FORBIDDEN' });
  const [ownOfAdmin = 0] = await storeRecords(database, 1, admin);
  await approve([own, ownOfAdmin], admin);
});

test.each([
  ['no entries', []],
  ['too many entries', Array.from({ length: 1_001 }, (_, index) => index + 1)],
  ['a repeated entry', [1, 1]],
])('a list with %s is refused', async (_, ids) => {
  await expect(approve(ids)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
});

test('a thousand records are approved together', async () => {
  const ids = await storeRecords(database, 1_000);
  const before = (await events()).length;
  await approve(ids);
  expect((await events()).length - before).toBe(1_000);
});
