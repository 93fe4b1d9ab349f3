import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { recordAt, recordOf, anonymousSubmitter } from '@esd/testing/records';
import { sql } from 'kysely';
import { findQueue, polymersFound, type QueueQuery } from '../../src/review/queue.store.ts';
import { approveRecords, rejectRecords } from '../../src/review/review.ts';
import { submit } from '../../src/submit/submit.ts';
import {
  submitRequest,
  moderator,
  testContext,
  openTestDatabase,
  originsOf,
  references,
  storeRecords,
  update,
  user,
  reviewBy,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(async () => {
  await sql`truncate record, record_revision, submission, submitter, audit, outbox cascade`.execute(database);
});

const queue = (query: Partial<QueueQuery> = {}) =>
  findQueue(database, {
    status: 'PENDING',
    kind: 'all',
    submitter: undefined,
    polymers: undefined,
    origin: undefined,
    submissionId: undefined,
    skip: 0,
    limit: 100,
    ...query,
  });
const idsOf = async (query?: Partial<QueueQuery>) => (await queue(query)).entries.map(({ recordId }) => recordId);

async function submitAs(userMetadata: object, experimentData: object[], researchMetadata: object = {}) {
  const body = JSON.stringify({
    userMetadata: { ...anonymousSubmitter, ...userMetadata },
    researchMetadata,
    experimentData,
  });
  const outcome = await submit(testContext(database), {
    json: Buffer.from(body),
    ...submitRequest(user),
    caller: undefined,
  });
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return outcome.records.map(({ recordId }) => recordId);
}

test('an entry contains what a moderator needs to choose it', async () => {
  const [id = 0] = await submitAs(
    {},
    [
      {
        polymerProperty: {
          polymerComponents: [{ polymerName: 'PCL' }, { polymerName: 'PVA' }],
        },
        solutionProperty: { pH: 15 },
      },
    ],
    { publicationTitle: 'Fibers', doi: '10.1000/x' },
  );
  const { entries, counts } = await queue();
  expect(counts).toEqual({ all: 1, new: 1, corrections: 0, answered: 0, warnings: 1, anonymous: 1 });
  expect(entries).toEqual([
    {
      recordId: id,
      revision: 1,
      status: 'PENDING',
      submissionId: expect.any(Number),
      submittedAt: expect.any(Date),
      waitingSince: expect.any(Date),
      ownerAccountId: null,
      submitterName: 'Ada Example',
      polymers: ['PCL', 'PVA'],
      publicationTitle: 'Fibers',
      doi: '10.1000/x',
      warningCount: 1,
      withdrawn: null,
      publishedRevision: null,
      origin: originsOf('network 192.0.2.0/24')[0],
      erasedAt: null,
      summary: '',
      unread: 0,
    },
  ]);
  expect(entries[0]?.waitingSince).toEqual(entries[0]?.submittedAt);
});

test('the longest waiting record comes first; an edit keeps its position, resubmitting a rejected record does not', async () => {
  const [first = 0, second = 0, third = 0] = await storeRecords(database, 3);
  await storeRecords(database, 1);
  expect((await idsOf()).slice(0, 3)).toEqual([first, second, third]);
  await update(database, first, [recordAt(20, 'PCL')]);
  expect((await idsOf())[0]).toBe(first);
  await rejectRecords(database, [{ recordId: second, revision: undefined }], 'Which voltage?', reviewBy(moderator));
  expect(await idsOf()).not.toContain(second);
  const [rejected] = (await queue({ status: 'REJECTED' })).entries;
  expect(rejected?.recordId).toBe(second);
  await update(database, second, [recordAt(21, 'PCL')]);
  const back = (await queue()).entries.at(-1);
  expect(back?.recordId).toBe(second);
  expect(Number(back?.waitingSince)).toBeGreaterThan(Number(rejected?.waitingSince));
  // An edit of a public record waits from the time of the edit.
  await approveRecords(database, [{ recordId: third, revision: undefined }], reviewBy(moderator));
  await update(database, third, [recordAt(22, 'PCL')]);
  const last = (await queue()).entries.at(-1);
  expect(last).toMatchObject({ recordId: third, revision: 2, publishedRevision: 1, ownerAccountId: user.accountId });
  expect(Number(last?.waitingSince)).toBeGreaterThan(Number(last?.submittedAt));
});

test('filters by account, or by part of the name or email address, ignoring case', async () => {
  const owned = await storeRecords(database, 2);
  const [ada = 0] = await submitAs({ name: 'Ada Example' }, [recordOf('PCL')]);
  const [bob = 0] = await submitAs({ name: 'Bob 100%_\\', email: 'BOB@lab.example' }, [recordOf('PVA')]);
  expect(await idsOf({ submitter: user.accountId })).toEqual(owned);
  expect(await idsOf({ submitter: user.accountId.toUpperCase() })).toEqual(owned);
  expect(await idsOf({ submitter: 'aDa ' })).toEqual([ada]);
  expect(await idsOf({ submitter: 'bob@LAB' })).toEqual([bob]);
  expect(await idsOf({ submitter: '%_\\' })).toEqual([bob]);
  expect(await idsOf({ submitter: '%a%' })).toEqual([]);
  expect(await idsOf({ submitter: "' or true --" })).toEqual([]);
});

test('filters by polymer like the filter of the dataset', async () => {
  const [pcl = 0] = await submitAs({}, [recordOf('PCL')]);
  const [pva = 0] = await submitAs({}, [recordOf('PVA')]);
  const found = (text: string) => idsOf({ polymers: polymersFound(references, text) });
  expect(await found('polycapro')).toEqual([pcl]);
  expect(await found(' pva ')).toEqual([pva]);
  expect(await found('P')).toEqual([pcl, pva]);
  expect(await found('nylon')).toEqual([]);
  // Only the newest revision counts.
  const [edited = 0] = await storeRecords(database, 1);
  await update(database, edited, [recordAt(12, 'PVA')]);
  expect(await found('PVA')).toEqual([pva, edited]);
  expect(await idsOf({ polymers: ['PVA'], submitter: 'ada' })).toEqual([pva]);
});

test('filters by submission', async () => {
  await storeRecords(database, 2);
  const together = await submitAs({}, [recordOf('PCL'), recordOf('PVA')]);
  const submissionId = (await queue()).entries.at(-1)?.submissionId;
  expect(await idsOf({ submissionId })).toEqual(together);
  expect(await idsOf({ submissionId, polymers: ['PVA'] })).toEqual(together.slice(1));
  expect(await idsOf({ submissionId, status: 'APPROVED' })).toEqual([]);
});

test('pages contain each record exactly once', async () => {
  const [first = 0, ...others] = await storeRecords(database, 25);
  // The order differs from that of the ids.
  await rejectRecords(database, [{ recordId: first, revision: undefined }], 'Which voltage?', reviewBy(moderator));
  await update(database, first, [recordAt(20, 'PCL')]);
  const pages = await Promise.all([0, 10, 20, 30].map((skip) => queue({ skip, limit: 10 })));
  expect(pages.map(({ counts }) => counts.all)).toEqual([25, 25, 25, 25]);
  expect(pages.flatMap(({ entries }) => entries.map(({ recordId }) => recordId))).toEqual([...others, first]);
});
