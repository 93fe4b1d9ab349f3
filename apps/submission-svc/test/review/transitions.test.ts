import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { recordStatuses, type RecordStatus } from '@esd/record/status/record-status';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { approveRecords, rejectRecords } from '../../src/review/review.ts';
import type { Tables } from '../../src/tables.ts';
import { recordAt } from '@esd/testing/records';
import {
  storedRecord,
  moderator,
  openTestDatabase,
  storeRecords,
  submitRecords,
  update,
  user,
  reviewBy,
  refusal,
  incompleteRecord,
} from '../builders.ts';

let database: Kysely<Tables>;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

const session = user;
const pat: Caller = { ...user, credential: 'pat' };
const POLYMER_NAME = 'polymerProperty.polymerComponents[].polymerName';

async function recordThatIs(status: RecordStatus, isPublic: boolean): Promise<number> {
  const [id = 0] = await storeRecords(database, 1);
  await database
    .updateTable('record')
    .set({ status, published_revision: isPublic ? 1 : null })
    .where('id', '=', id)
    .execute();
  return id;
}

const changedRecord = (polymer: string | undefined) =>
  polymer === undefined
    ? { ...incompleteRecord, processParameter: recordAt(33).processParameter }
    : recordAt(33, polymer);
const refusalFor = (polymer: string | undefined) => (polymer === undefined ? 'MISSING_FIELDS' : 'VALIDATION_FAILED');

test.each<[string, Caller | undefined, string | undefined, RecordStatus | 'missing']>([
  ['complete, by a session', session, 'PCL', 'PENDING'],
  ['complete, by a token', pat, 'PCL', 'PENDING'],
  ['incomplete, by a session', session, undefined, 'missing'],
  ['incomplete, by a token', pat, undefined, 'NEEDS_UPDATE'],
  ['unresolvable, by a session', session, 'PCLL', 'missing'],
  ['unresolvable, by a token', pat, 'PCLL', 'missing'],
])('a new record, %s', async (_, caller, polymer, expected) => {
  const before = await database.selectFrom('record').select('id').execute();
  const submission = submitRecords(database, [polymer], caller);
  if (expected !== 'missing') {
    expect(await submission).toMatchObject({
      kind: 'stored',
      records: [{ status: expected, missingFields: expected === 'PENDING' ? [] : [POLYMER_NAME] }],
    });
    return;
  }
  expect(await refusal(submission)).toMatchObject({ code: refusalFor(polymer) });
  expect(await database.selectFrom('record').select('id').execute()).toHaveLength(before.length);
});

const updates: [RecordStatus, boolean, Caller, string | undefined, RecordStatus | 'refused'][] = recordStatuses.flatMap(
  (from) =>
    [false, true].flatMap((isPublic): typeof updates => [
      [from, isPublic, session, 'PVA', 'PENDING'],
      [from, isPublic, pat, 'PVA', 'PENDING'],
      [from, isPublic, session, undefined, 'refused'],
      [from, isPublic, pat, undefined, 'NEEDS_UPDATE'],
      [from, isPublic, pat, 'PCLL', 'refused'],
    ]),
);

test.each(updates)('%s (public: %s), update by %j to polymer %s: %s', async (from, isPublic, caller, polymer, to) => {
  const id = await recordThatIs(from, isPublic);
  const updating = update(database, id, [changedRecord(polymer)], { caller });
  const published = isPublic ? 1 : null;
  if (to === 'refused') {
    expect(await refusal(updating)).toMatchObject({ code: refusalFor(polymer) });
    expect((await storedRecord(database, id)).record).toEqual({ status: from, revision: 1, published });
    return;
  }
  const missingFields = to === 'PENDING' ? [] : [POLYMER_NAME];
  expect(await updating).toMatchObject({ record: { recordId: id, status: to, missingFields } });
  expect((await storedRecord(database, id)).record).toEqual({ status: to, revision: 2, published });
});

test.each(recordStatuses.flatMap((from) => [[from, 'approved'] as const, [from, 'rejected'] as const]))(
  'a record with the status %s is %s only if it is PENDING',
  async (from, decision) => {
    const id = await recordThatIs(from, false);
    const toReview = [{ recordId: id, revision: undefined }];
    const review =
      decision === 'approved'
        ? approveRecords(database, toReview, reviewBy(moderator))
        : rejectRecords(database, toReview, 'not clear', reviewBy(moderator));
    if (from !== 'PENDING') {
      expect(await refusal(review)).toMatchObject({ code: 'CONFLICT', errors: [{ code: 'CONFLICT', status: from }] });
      expect((await storedRecord(database, id)).record).toEqual({ status: from, revision: 1, published: null });
      return;
    }
    await review;
    expect((await storedRecord(database, id)).record).toEqual(
      decision === 'approved'
        ? { status: 'APPROVED', revision: 1, published: 1 }
        : { status: 'REJECTED', revision: 1, published: null },
    );
  },
);

test('a rejected edit leaves the public revision unchanged', async () => {
  const [id = 0] = await storeRecords(database, 1);
  await approveRecords(database, [{ recordId: id, revision: 1 }], reviewBy(moderator));
  await update(database, id, [recordAt(33, 'PVA')]);
  await rejectRecords(database, [{ recordId: id, revision: 2 }], 'not clear', reviewBy(moderator));
  expect((await storedRecord(database, id)).record).toEqual({ status: 'REJECTED', revision: 2, published: 1 });
});
