import { afterAll, describe, expect, test } from '@jest/globals';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { RecordReviewed, ReviewChange } from '@esd/proto/esd/events/v1/record_reviewed';
import { RecordWithdrawn } from '@esd/proto/esd/events/v1/record_withdrawn';
import { recordAt } from '@esd/testing/records';
import { eraseAccount } from '../../src/account/erase-account.ts';
import { approveRecords, rejectRecords } from '../../src/review/review.ts';
import { reopenRecord, restoreRecord, withdrawRecord } from '../../src/review/withdraw.ts';
import {
  admin,
  incompleteRecord,
  moderator,
  noImages,
  openTestDatabase,
  reviewBy,
  storedRecord,
  storeRecords,
  update,
  user,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const REASON = 'The paper was retracted.';
const approve = (id: number) => approveRecords(database, [{ recordId: id }], reviewBy(moderator));
const reject = (id: number) => rejectRecords(database, [{ recordId: id }], 'No.', reviewBy(moderator));
const withdraw = (id: number, caller = moderator, reason = REASON) =>
  withdrawRecord(database, { recordId: id }, reason, reviewBy(caller));
const restore = (id: number, caller = moderator) => restoreRecord(database, { recordId: id }, reviewBy(caller));
const reopen = (id: number, caller = moderator) => reopenRecord(database, { recordId: id }, reviewBy(caller));

async function published(): Promise<number> {
  const [id = 0] = await storeRecords(database, 1);
  await approve(id);
  return id;
}

/** Returns the events of a subject in the outbox, newest last. */
const bodies = async (subject: string) =>
  (await database.selectFrom('outbox').select('body').where('subject', '=', subject).orderBy('sequence').execute()).map(
    ({ body }) => body,
  );
const lastNotification = async () =>
  RecordReviewed.decode((await bodies('esd.record.reviewed.v1')).at(-1) ?? Buffer.alloc(0));

test('a withdrawal creates a revision and notifies the dataset and the owner', async () => {
  const id = await published();
  const { record, withdrawn } = await withdraw(id);
  expect(record).toEqual({ recordId: id, status: 'REJECTED', revision: 2 });
  const stored = await storedRecord(database, id);
  expect(stored.record).toEqual({ status: 'REJECTED', revision: 2, published: null });
  expect(stored.revisions[1]?.data).toEqual(stored.revisions[0]?.data);
  expect(stored.audit.map(({ action, record_revision }) => [action, record_revision])).toEqual([
    ['submit', 1],
    ['approve', 1],
    ['withdraw', 2],
  ]);
  const event = RecordWithdrawn.decode((await bodies('esd.record.withdrawn.v1')).at(-1) ?? Buffer.alloc(0));
  expect(event).toEqual({ recordId: id, recordRevision: 2, reason: REASON, withdrawnAt: new Date(withdrawn.at) });
  expect(await lastNotification()).toMatchObject({
    accountId: user.accountId,
    reason: REASON,
    decisions: [{ recordId: id, recordRevision: 2, approved: false, change: ReviewChange.REVIEW_CHANGE_WITHDRAWN }],
  });
});

test('a withdrawal rejects a pending edit, which stays the newest data; restoring returns the public data', async () => {
  const id = await published();
  await update(database, id, [recordAt(20, 'PVA')]);
  await withdraw(id);
  await restore(id);
  const { record, revisions, audit } = await storedRecord(database, id);
  expect(record).toEqual({ status: 'PENDING', revision: 4, published: null });
  expect(revisions[2]?.data).toEqual(revisions[1]?.data);
  expect(revisions[3]?.data).toEqual(revisions[0]?.data);
  expect(audit.map(({ action, record_revision, reason }) => [action, record_revision, reason])).toEqual([
    ['submit', 1, null],
    ['approve', 1, null],
    ['update', 2, null],
    ['reject', 2, REASON],
    ['withdraw', 3, REASON],
    ['restore', 4, null],
  ]);
  await approve(id);
  const event = RecordApproved.decode((await bodies('esd.record.approved.v1')).at(-1) ?? Buffer.alloc(0));
  expect([event.recordId, event.recordRevision]).toEqual([id, 4]);
  expect((await storedRecord(database, id)).record).toEqual({ status: 'APPROVED', revision: 4, published: 4 });
});

test('the owner may update a withdrawn record instead of having it restored', async () => {
  const id = await published();
  await withdraw(id);
  await update(database, id, [recordAt(20, 'PVA')]);
  await expect(restore(id)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('PENDING') });
  await reject(id);
  // A record that was rejected after its withdrawal may be reopened.
  expect(await reopen(id)).toEqual({ recordId: id, status: 'PENDING', revision: 3 });
  await approve(id);
  expect((await storedRecord(database, id)).record).toEqual({ status: 'APPROVED', revision: 3, published: 3 });
  expect(await withdraw(id)).toMatchObject({ record: { revision: 4 } });
  await update(database, id, [recordAt(21, 'PVA')]);
  await reject(id);
  // It may also be restored.
  expect(await restore(id)).toMatchObject({ status: 'PENDING', revision: 6 });
});

test('a withdrawal rejects an edit that lacks fields, and leaves a rejected one unchanged', async () => {
  const [lacking, rejected] = [await published(), await published()];
  await update(database, lacking, [incompleteRecord], { caller: { ...user, credential: 'pat' } });
  await update(database, rejected, [recordAt(20, 'PVA')]);
  await reject(rejected);
  for (const id of [lacking, rejected]) {
    await withdraw(id);
    const { record, audit } = await storedRecord(database, id);
    expect(record).toEqual({ status: 'REJECTED', revision: 3, published: null });
    expect(audit.filter(({ action }) => action === 'reject')).toHaveLength(1);
  }
});

test('a rejected record is reopened unchanged, and can be decided on again', async () => {
  const [id = 0] = await storeRecords(database, 1);
  await reject(id);
  expect(await reopen(id)).toEqual({ recordId: id, status: 'PENDING', revision: 1 });
  expect(await lastNotification()).toMatchObject({
    decisions: [{ recordId: id, change: ReviewChange.REVIEW_CHANGE_REOPENED }],
    reason: undefined,
  });
  await reject(id);
  await reopen(id);
  await approve(id);
  const { record, audit } = await storedRecord(database, id);
  expect(record).toEqual({ status: 'APPROVED', revision: 1, published: 1 });
  expect(audit.map(({ action }) => action)).toEqual(['submit', 'reject', 'reopen', 'reject', 'reopen', 'approve']);
});

describe('a refused call changes nothing', () => {
  test('if the state of the record does not allow it', async () => {
    const [pending = 0] = await storeRecords(database, 1);
    const gone = await published();
    await withdraw(gone);
    const [rejected = 0] = await storeRecords(database, 1);
    await reject(rejected);
    const again = await published();
    await withdraw(again);
    await restore(again);
    await approve(again);
    await update(database, again, [recordAt(20, 'PVA')]);
    await reject(again);
    const all = () => Promise.all([pending, gone, rejected, again].map((id) => storedRecord(database, id)));
    const before = await all();
    for (const id of [pending, rejected]) {
      await expect(withdraw(id)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('not public'),
      });
    }
    await expect(withdraw(gone)).rejects.toMatchObject({ code: 'CONFLICT' });
    for (const id of [pending, rejected, again]) {
      await expect(restore(id)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('not withdrawn'),
      });
    }
    await expect(reopen(pending)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(reopen(gone)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('restore') });
    for (const act of [withdraw, restore, reopen]) {
      await expect(act(999_999)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
    }
    expect(await all()).toEqual(before);
  });

  test('if the revision is outdated or the caller is not allowed', async () => {
    const id = await published();
    for (const target of [{ revision: 2 }, { entityTags: [`${id}-9`] }]) {
      await expect(
        withdrawRecord(database, { recordId: id, ...target }, REASON, reviewBy(moderator)),
      ).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    }
    const [own = 0] = await storeRecords(database, 1, moderator);
    await approveRecords(database, [{ recordId: own }], reviewBy(admin));
    for (const act of [withdraw, restore, reopen]) {
      await expect(act(own)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(act(id, user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    for (const reason of ['', 'x'.repeat(501)]) {
      await expect(withdraw(id, moderator, reason)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    }
    expect((await storedRecord(database, id)).record).toEqual({ status: 'APPROVED', revision: 1, published: 1 });
    await withdraw(own, admin);
  });
});

test('of concurrent withdrawals, one succeeds and adds the event', async () => {
  const id = await published();
  const before = (await bodies('esd.record.withdrawn.v1')).length;
  const outcomes = await Promise.allSettled([withdraw(id), withdraw(id, admin), withdraw(id)]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await bodies('esd.record.withdrawn.v1')).length).toBe(before + 1);
});

test('deleting an account keeps its withdrawn records, without owner and unpublished edits', async () => {
  const owner = { ...user, accountId: '0190d2b0-0000-7000-b000-000000000001' };
  const [id = 0] = await storeRecords(database, 1, owner);
  await approve(id);
  await update(database, id, [recordAt(20, 'PVA')], { caller: owner });
  await withdraw(id);
  await update(database, id, [recordAt(21, 'PVA')], { caller: owner });
  for (const _ of [1, 2]) {
    await eraseAccount({ database, images: noImages }, { accountId: owner.accountId, deletedAt: new Date() });
  }
  const { record, revisions } = await storedRecord(database, id);
  expect(record).toEqual({ status: 'REJECTED', revision: 3, published: null });
  expect(revisions.map(({ revision }) => revision)).toEqual([1, 3]);
  expect(revisions[1]?.data).toEqual(revisions[0]?.data);
  await restore(id);
  await approve(id);
  expect((await storedRecord(database, id)).record).toEqual({ status: 'APPROVED', revision: 4, published: 4 });
});
