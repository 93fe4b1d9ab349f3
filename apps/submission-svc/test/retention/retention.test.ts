import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { recordOf, anonymousSubmitter } from '@esd/testing/records';
import { sql } from 'kysely';
import { pino } from 'pino';
import { findContributors } from '../../src/contributors/contributors.store.ts';
import { getFeedback, updateFeedback } from '../../src/feedback/feedback.store.ts';
import { feedbackQueue, submitFeedback } from '../../src/feedback/submit-feedback.ts';
import { findImageUses } from '../../src/records/image-use.store.ts';
import {
  deleteOldFeedback,
  eraseOldSubmitters,
  eraseOrigins,
  eraseRejected,
} from '../../src/retention/erase-expired.ts';
import { eraseSubmitter } from '../../src/retention/erase-submitter.ts';
import { eraseExpired } from '../../src/retention/retention-job.ts';
import { approveRecords, rejectRecords } from '../../src/review/review.ts';
import { viewForReview } from '../../src/review/review-view.ts';
import { submit } from '../../src/submit/submit.ts';
import { InMemoryImages } from '../in-memory-images.ts';
import {
  admin,
  submitRequest,
  storedRecord,
  moderator,
  openTestDatabase,
  originsOf,
  testContext,
  storeAnonymous,
  storeRecords,
  user,
  reviewBy,
} from '../builders.ts';

let images: InMemoryImages;
const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(async () => {
  images = new InMemoryImages();
  await sql`
    truncate record, record_revision, submission, submitter, audit, outbox, feedback, feedback_audit cascade
  `.execute(database);
});

const DAYS = 180;
const feedbackLimits = { originsOf, queue: feedbackQueue(), imageBytes: 0, daily: 50 };
const toReview = (ids: readonly number[]) => ids.map((recordId) => ({ recordId, revision: undefined }));
const reject = (ids: readonly number[]) => rejectRecords(database, toReview(ids), 'No.', reviewBy(moderator));
const approve = (ids: readonly number[]) => approveRecords(database, toReview(ids), reviewBy(moderator));
/** Moves all stored times into the past. */
const age = async (days: number): Promise<void> => {
  const by = sql`make_interval(days => ${days})`;
  await sql`update record set status_since = status_since - ${by}, created_at = created_at - ${by}`.execute(database);
  await sql`update submission set submitted_at = submitted_at - ${by}`.execute(database);
  await sql`update feedback set changed_at = changed_at - ${by}, submitted_at = submitted_at - ${by}`.execute(database);
};
const submitters = async (): Promise<number[]> => {
  const rows = await database.selectFrom('submitter').select('submission_id as id').orderBy('submission_id').execute();
  return rows.map(({ id }) => id);
};
const statusOf = async (id: number) => {
  const row = await database.selectFrom('record').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return { id, status: row.status, revision: row.revision, since: row.status_since, at: row.created_at };
};
const withImage = async () => {
  const imageId = images.upload();
  const body = {
    userMetadata: anonymousSubmitter,
    researchMetadata: { publicationTitle: 'A title', doi: '10.1000/x' },
    experimentData: [{ ...recordOf('PCL'), fiberImages: [{ imageId }] }],
  };
  const request = { ...submitRequest(undefined), json: Buffer.from(JSON.stringify(body)) };
  const outcome = await submit({ ...testContext(database), images }, request);
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return { imageId, submissionId: outcome.submissionId, recordId: outcome.records[0]?.recordId ?? 0 };
};

describe('a rejected record without an account', () => {
  test('loses its data, submitter, and images, but not its id, status, dates, and audit trail', async () => {
    const { imageId, recordId, submissionId } = await withImage();
    await reject([recordId]);
    await age(DAYS + 1);
    const [before, trail] = [await statusOf(recordId), (await storedRecord(database, recordId)).audit];
    expect(await eraseRejected({ database, images }, DAYS)).toBe(1);

    const { revisions, audit } = await storedRecord(database, recordId);
    expect(revisions).toMatchObject([
      { data: {}, polymers: [], image_ids: [], content_hash: null, duplicate_hash: null },
    ]);
    expect(await statusOf(recordId)).toEqual(before);
    expect(audit.slice(0, trail.length)).toEqual(trail);
    expect(audit.map(({ action }) => action)).toEqual(['submit', 'reject', 'erase', 'erase_submitter']);
    expect(await submitters()).toEqual([]);
    const view = await viewForReview(database, recordId);
    expect(view).toMatchObject({
      status: 'REJECTED',
      data: {},
      userMetadata: null,
      erasedAt: expect.any(Date),
      submissionId,
    });
    const everything = await sql<{ all: string }>`
      select json_agg(s)::text || (select json_agg(r)::text from record_revision r) as all from submission s`.execute(
      database,
    );
    expect(everything.rows[0]?.all).not.toMatch(/Ada|ada@|10\.1000|A title|PCL/);
    // The image is detached and unused, so the sweep of media-svc deletes it.
    expect(images.recordOf(imageId)).toBeUndefined();
    expect(await findImageUses(database, [imageId])).toEqual([]);
    // A second run finds nothing, and the id is not reused.
    expect(await eraseRejected({ database, images }, DAYS)).toBe(0);
    const [next = 0] = await storeRecords(database, 1);
    expect(next).toBe(recordId + 1);
  });

  test('is not erased, not even partially, while media-svc is down', async () => {
    const { imageId, recordId } = await withImage();
    await reject([recordId]);
    await age(DAYS + 1);
    images.isDown = true;
    await expect(eraseRejected({ database, images }, DAYS)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await storedRecord(database, recordId)).revisions[0]?.data).toHaveProperty('polymerProperty');
    images.isDown = false;
    expect(await eraseRejected({ database, images }, DAYS)).toBe(1);
    expect(images.recordOf(imageId)).toBeUndefined();
  });

  test('keeps its submitter until all records of the submission are erased', async () => {
    const { recordIds, submissionId } = await storeAnonymous(database, 2);
    const [rejected = 0, published = 0] = recordIds;
    await reject([rejected]);
    await approve([published]);
    await age(DAYS + 1);
    expect(await eraseRejected({ database, images }, DAYS)).toBe(1);
    expect(await submitters()).toEqual([submissionId]);
    expect((await storedRecord(database, published)).revisions[0]?.data).toHaveProperty('polymerProperty');
  });

  test('is not erased if it is pending, was ever public, has an account, or was rejected recently', async () => {
    const { recordIds } = await storeAnonymous(database, 3);
    const [, published = 0, once = 0] = recordIds;
    await approve([published, once]);
    const owned = await storeRecords(database, 1, user);
    await reject(owned);
    await sql`update record set status = 'REJECTED' where id = ${once}`.execute(database);
    await age(DAYS + 1);
    const { recordIds: lately } = await storeAnonymous(database, 1);
    await reject(lately);
    expect(await eraseRejected({ database, images }, DAYS)).toBe(0);
    for (const id of [...recordIds, ...owned, ...lately]) {
      expect((await storedRecord(database, id)).revisions[0]?.data).toHaveProperty('polymerProperty');
    }
  });

  test('is erased even if there are more than fit into one transaction', async () => {
    for (let round = 0; round < 5; round += 1) await reject((await storeAnonymous(database, 50)).recordIds);
    await age(DAYS + 1);
    expect(await eraseRejected({ database, images }, DAYS)).toBe(250);
    expect(await submitters()).toEqual([]);
  });
});

describe('origins', () => {
  test('of records are erased after 90 days or with a decision', async () => {
    const [old, decided, fresh] = [
      await storeAnonymous(database, 1),
      await storeAnonymous(database, 1),
      await storeAnonymous(database, 1),
    ];
    const [oldId, decidedId, freshId] = [old, decided, fresh].map(({ recordIds }) => recordIds[0] ?? 0);
    await sql`update record set created_at = now() - interval '91 days' where id = ${oldId}`.execute(database);
    await sql`update record set status = 'APPROVED' where id = ${decidedId}`.execute(database);
    expect(await eraseOrigins(database)).toBe(2);
    const rows = await database.selectFrom('record').select(['id', 'origin']).orderBy('id').execute();
    expect(rows).toEqual([
      { id: oldId, origin: null },
      { id: decidedId, origin: null },
      { id: freshId, origin: expect.any(String) },
    ]);
  });

  test('of feedback are erased after 90 days', async () => {
    const words = { name: '', category: '', subject: '', message: 'x', image: undefined };
    const from = submitRequest(undefined);
    await submitFeedback(database, words, from, feedbackLimits);
    await age(91);
    expect(await eraseOrigins(database)).toBe(1);
    expect(await database.selectFrom('feedback').select('sender').execute()).toEqual([{ sender: null }]);
  });
});

describe('a submitter', () => {
  const who = { name: 'Ada Example', affiliation: 'Lab', orcid: '0000-0002-1825-0097', lab: 'Fibers', country: 'DE' };
  const shown = { ...who, showPublicly: true };

  test('can be erased by an administrator, which the audit trail records', async () => {
    const { recordIds, submissionId } = await storeAnonymous(database, 2, { userMetadata: shown });
    await approve(recordIds);
    expect(await findContributors(database)).toHaveLength(1);
    const eraser = { accountId: admin.accountId, requestId: 'r' };
    expect(await eraseSubmitter(database, submissionId, eraser)).toBe(true);
    expect(await findContributors(database)).toEqual([]);
    for (const id of recordIds) {
      expect((await viewForReview(database, id)).userMetadata).toBeNull();
      const { audit, revisions } = await storedRecord(database, id);
      expect(audit.at(-1)).toMatchObject({
        action: 'erase_submitter',
        actor_account_id: admin.accountId,
        request_id: 'r',
      });
      expect(revisions[0]?.data).toHaveProperty('polymerProperty');
    }
    // A second call finds nothing and adds no entry.
    expect(await eraseSubmitter(database, submissionId, eraser)).toBe(false);
    expect((await storedRecord(database, recordIds[0] ?? 0)).audit).toHaveLength(3);
    const unknown = eraseSubmitter(database, 999_999, eraser);
    await expect(unknown).rejects.toMatchObject({ code: 'SUBMISSION_NOT_FOUND' });
  });

  test('who chose to be hidden stays hidden when that choice is erased', async () => {
    await approve((await storeAnonymous(database, 1, { userMetadata: shown })).recordIds);
    const hides = { ...who, name: 'ADA  example', showPublicly: false };
    const last = await storeAnonymous(database, 1, { userMetadata: hides });
    await approve(last.recordIds);
    expect(await findContributors(database)).toEqual([]);
    await eraseSubmitter(database, last.submissionId, { accountId: admin.accountId, requestId: 'r' });
    expect(await findContributors(database)).toEqual([]);
  });

  test('without an account is erased after its period, except for what the list of contributors shows', async () => {
    const named = await storeAnonymous(database, 1, { userMetadata: shown });
    const hidden = await storeAnonymous(database, 1, { userMetadata: who });
    const rejected = await storeAnonymous(database, 1, { userMetadata: shown });
    const waiting = await storeAnonymous(database, 2, { userMetadata: who });
    await approve([...named.recordIds, ...hidden.recordIds, ...waiting.recordIds.slice(1)]);
    await reject(rejected.recordIds);
    const list = await findContributors(database);
    await age(731);
    const lately = await storeAnonymous(database, 1, { userMetadata: who });
    await approve(lately.recordIds);
    expect(await eraseOldSubmitters(database, 730)).toBe(3);
    expect(await submitters()).toEqual([named.submissionId, waiting.submissionId, lately.submissionId]);
    const { user_metadata: left } = await database
      .selectFrom('submitter')
      .select('user_metadata')
      .where('submission_id', '=', named.submissionId)
      .executeTakeFirstOrThrow();
    expect(left).toEqual({
      name: who.name,
      affiliation: who.affiliation,
      orcid: who.orcid,
      showPublicly: true,
      consentTerms: true,
    });
    expect(await findContributors(database)).toEqual(list);
    expect(await eraseOldSubmitters(database, 730)).toBe(0);
  });

  test('with an account is not erased', async () => {
    await approve(await storeRecords(database, 1, user));
    await age(1_000);
    expect(await eraseOldSubmitters(database, 730)).toBe(0);
    expect(await submitters()).toHaveLength(1);
  });
});

test('closed feedback is deleted after its retention period, which the audit trail records', async () => {
  const words = { name: '', category: '', subject: '', message: 'x', image: undefined };
  const send = () => submitFeedback(database, words, submitRequest(user), feedbackLimits);
  const closeIt = (id: number) =>
    updateFeedback(database, id, { state: 'CLOSED', note: undefined, accountId: admin.accountId });
  const [open, closed] = [await send(), await send()];
  await closeIt(closed);
  await age(366);
  const lately = await send();
  await closeIt(lately);
  expect(await deleteOldFeedback(database, 365)).toBe(1);
  await expect(getFeedback(database, closed)).rejects.toMatchObject({ code: 'FEEDBACK_NOT_FOUND' });
  for (const id of [open, lately]) await getFeedback(database, id);
  const trail = await database.selectFrom('feedback_audit').selectAll().execute();
  expect(trail).toMatchObject([{ feedback_id: closed, action: 'delete', actor_account_id: null }]);
});

describe('the retention job', () => {
  const keep = { rejectedDays: DAYS, submitterDays: 730, feedbackDays: 365 };
  const log = pino({ level: 'silent' });

  test('continues if one part fails, and erases nothing with 0 days', async () => {
    const { recordId } = await withImage();
    await reject([recordId]);
    await approve((await storeAnonymous(database, 1)).recordIds);
    await age(800);
    await eraseExpired({ database, images, log, keep: { rejectedDays: 0, submitterDays: 0, feedbackDays: 0 } });
    expect(await submitters()).toHaveLength(2);
    images.isDown = true;
    await eraseExpired({ database, images, log, keep });
    expect(await submitters()).toEqual([]);
    expect((await viewForReview(database, recordId)).erasedAt).toBeNull();
  });

  test('runs on one replica at a time', async () => {
    const { recordId } = await withImage();
    await reject([recordId]);
    await age(DAYS + 1);
    const lock = sql`select pg_advisory_lock(hashtextextended('esd retention', 0))`;
    await database.connection().execute(async (connection) => {
      await lock.execute(connection);
      await eraseExpired({ database, images, log, keep });
      expect((await viewForReview(database, recordId)).erasedAt).toBeNull();
      await sql`select pg_advisory_unlock_all()`.execute(connection);
    });
    await eraseExpired({ database, images, log, keep });
    expect((await viewForReview(database, recordId)).erasedAt).not.toBeNull();
  });
});
