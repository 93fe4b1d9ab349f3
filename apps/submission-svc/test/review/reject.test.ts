import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { RecordReviewed } from '@esd/proto/esd/events/v1/record_reviewed';
import { recordTag } from '../../src/records/entity-tag.ts';
import { approveRecords, rejectRecords } from '../../src/review/review.ts';
import type { Tables } from '../../src/tables.ts';
import { recordAt } from '@esd/testing/records';
import {
  admin,
  storedRecord,
  moderator,
  openTestDatabase,
  storeRecords,
  update,
  user,
  reviewBy,
  refusal,
} from '../builders.ts';

let database: Kysely<Tables>;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

const REASON = 'The voltage is not in the paper.';
const other = { ...moderator, accountId: '0190d2b0-0000-7000-8000-000000000004' };
const toReview = (ids: number[]) => ids.map((recordId) => ({ recordId, revision: undefined }));
const reject = (ids: number[], reviewer = moderator, reason = REASON) =>
  rejectRecords(database, toReview(ids), reason, reviewBy(reviewer));
const approve = (ids: number[], reviewer = moderator) => approveRecords(database, toReview(ids), reviewBy(reviewer));

const reviewedEvents = async () => {
  const rows = await database
    .selectFrom('outbox')
    .select('body')
    .where('subject', '=', 'esd.record.reviewed.v1')
    .orderBy('sequence')
    .execute();
  return rows.map(({ body }) => RecordReviewed.decode(body));
};
const approvals = async () => {
  const rows = await database
    .selectFrom('outbox')
    .select('id')
    .where('subject', '=', 'esd.record.approved.v1')
    .execute();
  return rows.length;
};

describe('rejecting', () => {
  test('a record keeps its data and adds moderator and reason to the audit trail', async () => {
    const [id = 0] = await storeRecords(database, 1);
    const published = await approvals();
    expect((await reject([id])).records).toEqual([{ recordId: id, status: 'REJECTED', revision: 1 }]);
    const { record, revisions, audit } = await storedRecord(database, id);
    expect(record).toEqual({ status: 'REJECTED', revision: 1, published: null });
    expect(revisions).toHaveLength(1);
    expect(audit.at(-1)).toMatchObject({ action: 'reject', actor_account_id: moderator.accountId, reason: REASON });
    expect(await approvals()).toBe(published);
  });

  test('an edit leaves the public revision unchanged', async () => {
    const [id = 0] = await storeRecords(database, 1);
    await approve([id]);
    await update(database, id, [recordAt(20, 'PCL')]);
    await reject([id]);
    expect((await storedRecord(database, id)).record).toEqual({ status: 'REJECTED', revision: 2, published: 1 });
    // The edit becomes public once it is resubmitted and approved.
    await update(database, id, [recordAt(21, 'PCL')]);
    await approve([id]);
    expect((await storedRecord(database, id)).record).toEqual({ status: 'APPROVED', revision: 3, published: 3 });
  });
});

test.each([
  ['an empty', '', 'INVALID_PARAMETER'],
  ['a long', 'x'.repeat(2_001), 'INVALID_PARAMETER'],
])('%s reason is refused', async (_, reason, code) => {
  const [id = 0] = await storeRecords(database, 1);
  await expect(reject([id], moderator, reason)).rejects.toMatchObject({ code });
  expect((await storedRecord(database, id)).record?.status).toBe('PENDING');
});

test('if some records cannot be rejected, none is', async () => {
  const [pending = 0, done = 0] = await storeRecords(database, 2);
  const [own = 0] = await storeRecords(database, 1, moderator);
  await approve([done]);
  const before = (await reviewedEvents()).length;
  const bulk = { ...reviewBy(moderator), isBulk: true };
  const records = toReview([pending, done, own, 999_999]);
  expect(await refusal(rejectRecords(database, records, REASON, bulk))).toMatchObject({
    code: 'CONFLICT',
    errors: [
      { recordId: done, code: 'CONFLICT', status: 'APPROVED', message: expect.stringContaining('rejected') },
      { recordId: own, code: 'FORBIDDEN' },
      { recordId: 999_999, code: 'RECORD_NOT_FOUND' },
    ],
  });
  expect((await storedRecord(database, pending)).record?.status).toBe('PENDING');
  expect(await reviewedEvents()).toHaveLength(before);
});

test('users cannot reject, and only admins can reject their own records', async () => {
  const [own = 0] = await storeRecords(database, 1, moderator);
  await expect(reject([own], user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(reject([own], moderator))).toMatchObject({ code: 'FORBIDDEN' });
  const [ownOfAdmin = 0] = await storeRecords(database, 1, admin);
  await reject([own, ownOfAdmin], admin);
});

describe('a record that has changed since it was read', () => {
  test.each([
    ['revision', (id: number) => ({ recordId: id, revision: 1 })],
    ['entity tag', (id: number) => ({ recordId: id, revision: undefined, entityTags: [recordTag(id, 1)] })],
    [
      'entity tag of another record',
      (id: number) => ({ recordId: id, revision: 2, entityTags: [recordTag(id + 1, 2)] }),
    ],
  ])('is a failed precondition: %s', async (_, lookedAt) => {
    const [id = 0] = await storeRecords(database, 1);
    await update(database, id, [recordAt(20, 'PCL')]);
    for (const review of [
      rejectRecords(database, [lookedAt(id)], REASON, reviewBy(moderator)),
      approveRecords(database, [lookedAt(id)], reviewBy(moderator)),
    ]) {
      expect(await refusal(review)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    }
    const now = { recordId: id, revision: 2, entityTags: ['"x"', recordTag(id, 2)] };
    await approveRecords(database, [now], reviewBy(moderator));
  });
});

test('of a concurrent approval and rejection, one succeeds and the other is a conflict', async () => {
  const wins = { approve: 0, reject: 0 };
  const [published, notified] = [await approvals(), (await reviewedEvents()).length];
  const ids = await storeRecords(database, 200);
  for (const [round, id] of ids.entries()) {
    // The first request usually wins.
    const both = round % 2 === 0 ? [approve([id]), reject([id], other)] : [reject([id], other), approve([id])];
    const outcomes = await Promise.allSettled(both);
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    const lost = outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(lost).toMatchObject([{ code: 'CONFLICT' }]);
    const { record, audit } = await storedRecord(database, id);
    const action = record?.status === 'APPROVED' ? 'approve' : 'reject';
    expect(won).toMatchObject([{ records: [{ recordId: id, status: record?.status }] }]);
    expect(audit.map((entry) => entry.action)).toEqual(['submit', action]);
    wins[action] += 1;
  }
  // Otherwise, the loop did not test both orders.
  expect(Math.min(wins.approve, wins.reject)).toBeGreaterThan(0);
  expect((await approvals()) - published).toBe(wins.approve);
  expect((await reviewedEvents()).length - notified).toBe(200);
});

test('each owner gets one event for a batch, with only the owner’s records', async () => {
  const mine = await storeRecords(database, 3);
  const [theirs = 0] = await storeRecords(database, 1, other);
  const [ownerless = 0] = await storeRecords(database, 1);
  await database.updateTable('record').set({ owner_account_id: null }).where('id', '=', ownerless).execute();
  const before = (await reviewedEvents()).length;
  await reject([theirs, ...mine, ownerless]);
  const events = (await reviewedEvents()).slice(before);
  expect(events.map(({ accountId }) => accountId).sort()).toEqual([user.accountId, other.accountId].sort());
  expect(events.find(({ accountId }) => accountId === user.accountId)).toEqual({
    accountId: user.accountId,
    decisions: mine.map((recordId) => ({ recordId, recordRevision: 1, approved: false, reason: undefined })),
    reviewedAt: expect.any(Date),
    reason: REASON,
  });
  const [approved = 0] = await storeRecords(database, 1);
  await approve([approved]);
  expect((await reviewedEvents()).at(-1)).toMatchObject({
    decisions: [{ recordId: approved, approved: true }],
    reason: undefined,
  });
});

test('a thousand records with the longest reason fit into one event of NATS', async () => {
  const ids = await storeRecords(database, 1_000);
  await reject(ids, moderator, '漢'.repeat(2_000));
  const { body } = await database
    .selectFrom('outbox')
    .select('body')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  expect(RecordReviewed.decode(body).decisions).toHaveLength(1_000);
  expect(body.length).toBeLessThan(1_000_000);
});
