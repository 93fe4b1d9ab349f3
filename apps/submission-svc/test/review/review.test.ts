import { afterAll, expect, test } from '@jest/globals';
import { approveRecords, rejectRecords } from '../../src/review/review.ts';
import { viewForReview } from '../../src/review/review-view.ts';
import { recordAt } from '@esd/testing/records';
import { moderator, openTestDatabase, storeRecords, update, user, reviewBy } from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const approve = (recordId: number) =>
  approveRecords(database, [{ recordId, revision: undefined }], reviewBy(moderator));
const reject = (recordId: number, reason: string) =>
  rejectRecords(database, [{ recordId, revision: undefined }], reason, reviewBy(moderator));

test('a new record is shown with its data and submitter, without changes', async () => {
  const [id = 0] = await storeRecords(database, 1);
  expect(await viewForReview(database, id)).toEqual({
    recordId: id,
    revision: 1,
    status: 'PENDING',
    submissionId: expect.any(Number),
    submittedAt: expect.any(Date),
    waitingSince: expect.any(Date),
    ownerAccountId: user.accountId,
    publishedRevision: null,
    origin: null,
    erasedAt: null,
    withdrawn: null,
    imageOnly: false,
    userMetadata: {},
    data: recordAt(12, 'PCL'),
    missingFields: [],
    warnings: [],
    history: [{ at: expect.any(Date), action: 'submit', revision: 1, accountId: user.accountId, reason: null }],
    historyCount: 1,
    changes: [],
    published: undefined,
    duplicates: [],
    unread: 0,
  });
});

test('the history contains every revision and decision, and changes are relative to the public revision', async () => {
  const [id = 0] = await storeRecords(database, 1);
  await approve(id);
  expect((await viewForReview(database, id)).changes).toEqual([]);
  await update(database, id, [recordAt(20, 'PVA')]);
  await reject(id, 'The paper says 15 kV.');
  await update(database, id, [recordAt(15, 'PCL')]);
  const view = await viewForReview(database, id);
  expect(view).toMatchObject({ revision: 3, status: 'PENDING', publishedRevision: 1 });
  expect(view.changes).toEqual([{ path: 'processParameter.voltage', published: 12, proposed: 15 }]);
  expect(view.published).toEqual(recordAt(12, 'PCL'));
  expect(view.history.map(({ action, revision, accountId, reason }) => [action, revision, accountId, reason])).toEqual([
    ['submit', 1, user.accountId, null],
    ['approve', 1, moderator.accountId, null],
    ['update', 2, user.accountId, null],
    ['reject', 2, moderator.accountId, 'The paper says 15 kV.'],
    ['update', 3, user.accountId, null],
  ]);
  const times = view.history.map(({ at }) => at.getTime());
  expect([...times].sort((a, b) => a - b)).toEqual(times);
  await approve(id);
  expect(await viewForReview(database, id)).toMatchObject({ status: 'APPROVED', publishedRevision: 3, changes: [] });
});

test('a long history is limited to its newest thousand entries', async () => {
  const [id = 0] = await storeRecords(database, 1);
  const entries = Array.from({ length: 1_200 }, (_, index) => ({
    actor_account_id: null,
    action: 'update' as const,
    record_id: id,
    record_revision: index,
    reason: null,
    request_id: 'test',
  }));
  await database.insertInto('audit').values(entries).execute();
  const { history, historyCount } = await viewForReview(database, id);
  expect([history.length, historyCount, history.at(-1)?.revision]).toEqual([1_000, 1_201, 1_199]);
});

test('an unknown record returns RECORD_NOT_FOUND', async () => {
  await expect(viewForReview(database, 999_999)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
});
