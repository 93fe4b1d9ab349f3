import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { findQueue } from '../../src/review/queue.store.ts';
import { approveRecords, rejectOrigin } from '../../src/review/review.ts';
import { viewForReview } from '../../src/review/review-view.ts';
import {
  storedRecord,
  moderator,
  openTestDatabase,
  originsOf,
  storeAnonymous,
  storeRecords,
  user,
  reviewBy,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(async () => {
  await sql`truncate record, record_revision, submission, submitter, audit, outbox cascade`.execute(database);
});

const [ORIGIN] = originsOf('network 198.51.100.0/24');
const REASON = 'Not an experiment.';
const reject = (origin = ORIGIN, reviewer = moderator) => rejectOrigin(database, origin, REASON, reviewBy(reviewer));
const of = (origin: string) =>
  findQueue(database, {
    status: 'PENDING',
    kind: 'all',
    submitter: undefined,
    polymers: undefined,
    submissionId: undefined,
    origin,
    skip: 0,
    limit: 1_000,
  });

test('one decision rejects exactly the records that the queue finds for a network', async () => {
  const made: number[] = [];
  for (let host = 1; host <= 10; host += 1) {
    made.push(...(await storeAnonymous(database, 50, { clientIp: `198.51.100.${host}` })).recordIds);
  }
  const { recordIds: others } = await storeAnonymous(database, 2, { clientIp: '203.0.113.1' });
  const own = await storeRecords(database, 2);
  const { entries, counts } = await of(ORIGIN);
  expect([counts.all, entries.map(({ recordId }) => recordId)]).toEqual([500, made]);
  expect(new Set(entries.map(({ origin }) => origin))).toEqual(new Set([ORIGIN]));

  expect((await reject()).records).toEqual(made.map((recordId) => ({ recordId, status: 'REJECTED', revision: 1 })));
  for (const id of [made[0] ?? 0, made.at(-1) ?? 0]) {
    const { record, audit } = await storedRecord(database, id);
    expect(record?.status).toBe('REJECTED');
    expect(audit.at(-1)).toMatchObject({ action: 'reject', actor_account_id: moderator.accountId, reason: REASON });
  }
  for (const id of [...others, ...own]) expect((await storedRecord(database, id)).record?.status).toBe('PENDING');
  expect((await of(ORIGIN)).counts.all).toBe(0);
  await expect(reject()).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
});

test('one decision rejects at most 1,000 records', async () => {
  await storeRecords(database, 1_000);
  await storeRecords(database, 20);
  await sql`update record set owner_account_id = null, origin = ${ORIGIN}`.execute(database);
  expect((await reject()).records).toHaveLength(1_000);
  expect((await reject()).records).toHaveLength(20);
});

test('an origin is shown until the decision, which erases it', async () => {
  const { recordIds } = await storeAnonymous(database, 2, { clientIp: '198.51.100.1' });
  const [approved = 0, rejected = 0] = recordIds;
  expect(await viewForReview(database, approved)).toMatchObject({ origin: ORIGIN, erasedAt: null });
  await approveRecords(database, [{ recordId: approved, revision: undefined }], reviewBy(moderator));
  await reject();
  for (const id of [approved, rejected]) expect((await viewForReview(database, id)).origin).toBeNull();
  const [owned = 0] = await storeRecords(database, 1);
  expect((await viewForReview(database, owned)).origin).toBeNull();
});

test('concurrent moderators decide on each record once', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { recordIds } = await storeAnonymous(database, 5, { clientIp: '198.51.100.1' });
    const one = recordIds.slice(0, 1).map((recordId) => ({ recordId, revision: undefined }));
    await Promise.allSettled([reject(), approveRecords(database, one, reviewBy(moderator)), reject()]);
    for (const id of recordIds) expect((await storedRecord(database, id)).audit).toHaveLength(2);
  }
});

test('a USER cannot reject an origin, and a reason is required', async () => {
  await storeAnonymous(database, 1, { clientIp: '198.51.100.1' });
  await expect(reject(ORIGIN, user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(rejectOrigin(database, ORIGIN, '', reviewBy(moderator))).rejects.toMatchObject({
    code: 'INVALID_PARAMETER',
  });
  expect((await of(ORIGIN)).counts.all).toBe(1);
});
