import { afterAll, describe, expect, test } from '@jest/globals';
import { getOwnSubmission } from '../../src/own-data/own-data.ts';
import { approveRecords } from '../../src/review/review.ts';
import { updateSubmission } from '../../src/update/update.ts';
import { recordAt } from '@esd/testing/records';
import {
  submitRequest,
  storedRecord,
  moderator,
  openTestDatabase,
  testContext,
  submitRecords,
  user,
  reviewBy,
  refusal,
  update,
  incompleteRecord,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

async function store(polymers: string[], caller = user): Promise<{ submissionId: number; ids: number[] }> {
  const outcome = await submitRecords(database, polymers, caller);
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return { submissionId: outcome.submissionId, ids: outcome.records.map(({ recordId }) => recordId) };
}

const send = (
  submissionId: number,
  experimentData: object[],
  {
    caller = user,
    entityTags = [],
    ...more
  }: Record<string, unknown> & { caller?: typeof user; entityTags?: string[] } = {},
) =>
  updateSubmission(testContext(database), {
    submissionId,
    entityTags,
    json: Buffer.from(JSON.stringify({ ...more, experimentData })),
    ...submitRequest(caller),
    caller,
  });

const voltages = async (ids: number[]) =>
  Promise.all(
    ids.map(async (id) => (await storedRecord(database, id)).revisions.at(-1)?.data.processParameter?.voltage),
  );

test('items without ids are matched by order', async () => {
  const { submissionId, ids } = await store(['PCL', 'PCL', 'PCL']);
  const outcome = await send(submissionId, [recordAt(1, 'PCL'), recordAt(2, 'PCL'), recordAt(3, 'PCL')]);
  expect(outcome).toMatchObject({ records: ids.map((recordId) => ({ recordId, status: 'PENDING' })) });
  expect(await voltages(ids)).toEqual([1, 2, 3]);
});

test('items with ids are matched by id, and returned in their order', async () => {
  const { submissionId, ids } = await store(['PCL', 'PCL']);
  const [first = 0, second = 0] = ids;
  const outcome = await send(submissionId, [
    { ...recordAt(2, 'PCL'), recordId: second },
    { ...recordAt(1, 'PCL'), recordId: first },
  ]);
  expect(outcome).toMatchObject({ records: [{ recordId: second }, { recordId: first }] });
  expect(await voltages(ids)).toEqual([1, 2]);
});

test('items are matched by order unless every item has an id', async () => {
  const { submissionId, ids } = await store(['PCL', 'PCL']);
  await send(submissionId, [{ ...recordAt(1, 'PCL'), recordId: ids[1] }, recordAt(2, 'PCL')]);
  expect(await voltages(ids)).toEqual([1, 2]);
});

test('only records that change get a revision', async () => {
  const { submissionId, ids } = await store(['PCL', 'PCL']);
  await approveRecords(
    database,
    ids.map((recordId) => ({ recordId, revision: 1 })),
    reviewBy(moderator),
  );
  const outcome = await send(submissionId, [recordAt(12, 'PCL'), recordAt(13, 'PCL')]);
  expect(outcome).toMatchObject({
    records: [
      { status: 'APPROVED', changed: false },
      { status: 'PENDING', changed: true, isPublic: true },
    ],
  });
  const stored = await Promise.all(ids.map((id) => storedRecord(database, id)));
  expect(stored.map(({ record }) => record)).toEqual([
    { status: 'APPROVED', revision: 1, published: 1 },
    { status: 'PENDING', revision: 2, published: 1 },
  ]);
});

test.each<[string, (ids: number[]) => object[], string, string]>([
  ['too few items', () => [recordAt(1, 'PCL')], 'experimentData', 'WRONG_RECORD_COUNT'],
  ['too many items', () => [1, 2, 3].map((v) => recordAt(v, 'PCL')), 'experimentData', 'WRONG_RECORD_COUNT'],
  [
    'a record of another submission',
    ([first]) => [
      { ...recordAt(1, 'PCL'), recordId: first },
      { ...recordAt(2, 'PCL'), recordId: 1 },
    ],
    'experimentData[1].recordId',
    'UNKNOWN_RECORD',
  ],
  [
    'a repeated record',
    ([first]) => [
      { ...recordAt(1, 'PCL'), recordId: first },
      { ...recordAt(2, 'PCL'), recordId: first },
    ],
    'experimentData[1].recordId',
    'REPEATED_RECORD',
  ],
  [
    'an id of the wrong type',
    ([first, second]) => [
      { ...recordAt(1, 'PCL'), recordId: first },
      { ...recordAt(2, 'PCL'), recordId: String(second) },
    ],
    'experimentData[1].recordId',
    'UNKNOWN_RECORD',
  ],
  [
    'an invalid record',
    () => [recordAt(1, 'PCL'), recordAt(2, 'PCLL')],
    'experimentData[1].polymerProperty.polymerComponents[0].polymerName',
    'UNKNOWN_POLYMER',
  ],
  [
    'a record without a mandatory field',
    () => [recordAt(1, 'PCL'), incompleteRecord],
    'experimentData[1].polymerProperty.polymerComponents[].polymerName',
    'MISSING_VALUE',
  ],
])('an update with %s is refused completely', async (_, itemsOf, path, code) => {
  const { submissionId, ids } = await store(['PCL', 'PCL']);
  expect(await refusal(send(submissionId, itemsOf(ids)))).toMatchObject({ errorCount: 1, errors: [{ path, code }] });
  for (const id of ids) expect((await storedRecord(database, id)).revisions).toHaveLength(1);
});

test('userMetadata is replaced only if it is sent', async () => {
  const { submissionId } = await store(['PCL']);
  const metadata = async () =>
    (
      await database.selectFrom('submitter').select('user_metadata').where('submission_id', '=', submissionId).execute()
    )[0]?.user_metadata;
  const userMetadata = { name: 'Ada', showPublicly: true };
  await send(submissionId, [recordAt(1, 'PCL')], { userMetadata });
  expect(await metadata()).toEqual(userMetadata);
  await send(submissionId, [recordAt(2, 'PCL')]);
  expect(await metadata()).toEqual(userMetadata);
});

test('a submission of another account is not found', async () => {
  const { submissionId } = await store(['PCL'], moderator);
  for (const id of [submissionId, 999_999]) {
    await expect(send(id, [recordAt(1, 'PCL')])).rejects.toMatchObject({ code: 'SUBMISSION_NOT_FOUND' });
  }
});

test('two concurrent updates of 1,000 records are stored one after the other', async () => {
  const { submissionId, ids } = await store(Array.from({ length: 1_000 }, () => 'PCL'));
  const items = (voltage: number) => ids.map(() => recordAt(voltage, 'PVA'));
  const started = performance.now();
  const outcomes = await Promise.all([1, 2].map((voltage) => send(submissionId, items(voltage))));
  const each = (performance.now() - started) / 2;
  expect(outcomes.map(({ records }) => records.length)).toEqual([1_000, 1_000]);
  const rows = await database.selectFrom('record').select('revision').where('id', 'in', ids).execute();
  expect(new Set(rows.map(({ revision }) => revision))).toEqual(new Set([3]));
  process.stdout.write(`1,000 records updated in ${each.toFixed(0)} ms\n`);
  // A statement for each record and index would take minutes.
  expect(each).toBeLessThan(60_000);
});

describe('the entity tag of a submission', () => {
  const tagOf = async (submissionId: number) =>
    (await getOwnSubmission(database, user.accountId, submissionId)).entityTag;

  test('changes only with a new revision, and an update returns the new one', async () => {
    const { submissionId, ids } = await store(['PCL', 'PCL']);
    const first = await tagOf(submissionId);
    expect(await tagOf(submissionId)).toBe(first);
    const { entityTag } = await send(submissionId, [recordAt(12, 'PCL'), recordAt(13, 'PCL')], { entityTags: [first] });
    expect(entityTag).not.toBe(first);
    expect(await tagOf(submissionId)).toBe(entityTag);
    await update(database, ids[0] ?? 0, [recordAt(14, 'PCL')]);
    expect(await tagOf(submissionId)).not.toBe(entityTag);
  });

  test('differs between submissions whose records have the same revisions', async () => {
    const [one, other] = [await store(['PCL']), await store(['PCL'])];
    expect(await tagOf(one.submissionId)).not.toBe(await tagOf(other.submissionId));
  });

  test('that is outdated refuses an update, and nothing is stored', async () => {
    const { submissionId, ids } = await store(['PCL', 'PCL']);
    const stale = await tagOf(submissionId);
    await update(database, ids[1] ?? 0, [recordAt(14, 'PCL')]);
    const items = [recordAt(1, 'PCL'), recordAt(2, 'PCL')];
    await expect(send(submissionId, items, { entityTags: [stale] })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(await voltages(ids)).toEqual([12, 14]);
    await send(submissionId, items, { entityTags: [stale, await tagOf(submissionId)] });
    expect(await voltages(ids)).toEqual([1, 2]);
  });

  test('is checked under the locks of the records, so that one of many concurrent updates is stored', async () => {
    const { submissionId, ids } = await store(['PCL', 'PCL']);
    const entityTags = [await tagOf(submissionId)];
    const updates = [1, 2, 3, 4, 5].map((voltage) =>
      send(submissionId, [recordAt(voltage, 'PCL'), recordAt(voltage, 'PCL')], { entityTags }),
    );
    const outcomes = await Promise.allSettled(updates);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const id of ids) expect((await storedRecord(database, id)).revisions).toHaveLength(2);
  });
});
