import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { sql, type Transaction } from 'kysely';
import { AccountDeleted } from '@esd/proto/esd/events/v1/account_deleted';
import { decodeAccountDeleted } from '@esd/events/account-deleted';
import { delayAccountDeletion } from '../../src/records/deleted-account.store.ts';
import { eraseAccount } from '../../src/account/erase-account.ts';
import { approveRecords } from '../../src/review/review.ts';
import type { Tables } from '../../src/tables.ts';
import { insertSubmission } from '../../src/submit/submission.store.ts';
import { addWarnings } from '../../src/prepare/add-warnings.ts';
import { recordAt } from '@esd/testing/records';
import {
  submitRequest,
  storedRecord,
  moderator,
  noImages,
  openTestDatabase,
  testContext,
  storeRecords,
  submitRecords,
  update,
  user,
  reviewBy,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

/** Returns whether a transaction in this database waits for an advisory lock. */
async function isLockAwaited(transaction: Transaction<Tables>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and not granted and datname = current_database()`.execute(transaction);
  return rows.length > 0;
}

let accounts = 0;
const newAccount = () => {
  accounts += 1;
  return { ...user, accountId: `0190d2b0-0000-7000-a000-${String(accounts).padStart(12, '0')}` };
};

const approve = (ids: number[]) =>
  approveRecords(
    database,
    ids.map((recordId) => ({ recordId, revision: undefined })),
    reviewBy(moderator),
  );

const erase = (accountId: string) => eraseAccount({ database, images: noImages }, { accountId, deletedAt: new Date() });

test('deletes records that were never approved; public ones lose their owner and their unpublished revisions', async () => {
  const owner = newAccount();
  const [never = 0, published = 0, edited = 0, rejectedEdit = 0, editedBefore = 0, undone = 0] = await storeRecords(
    database,
    6,
    owner,
  );
  const alone = await storeRecords(database, 2, owner);
  await approve([published, edited, rejectedEdit, editedBefore, undone]);
  // As an undo leaves it whose events were not published.
  const reopened = { status: 'PENDING', published_revision: null } as const;
  await database.updateTable('record').set(reopened).where('id', '=', undone).execute();
  // Revisions 2 and 4 are never public; 1 and 3 are.
  for (const voltage of [4, 5, 6]) {
    await update(database, editedBefore, [recordAt(voltage, 'PVA')], { caller: owner });
    if (voltage === 5) await approve([editedBefore]);
  }
  await update(database, never, [recordAt(1, 'PVA')], { caller: owner });
  await update(database, edited, [recordAt(2, 'PVA')], { caller: owner });
  await update(database, rejectedEdit, [recordAt(3, 'PVA')], { caller: owner });
  await database.updateTable('record').set({ status: 'REJECTED' }).where('id', '=', rejectedEdit).execute();
  const [others = 0] = await storeRecords(database, 1, newAccount());
  const before = await storedRecord(database, others);

  // Twice: events may repeat.
  for (const _ of [1, 2]) await erase(owner.accountId);

  for (const id of [never, undone, ...alone]) {
    const { record, revisions, audit } = await storedRecord(database, id);
    expect([record, revisions]).toEqual([undefined, []]);
    expect(audit.map(({ action }) => action)).toContain('delete_account');
    expect(audit.filter(({ action }) => action === 'delete_account')).toHaveLength(1);
  }
  for (const id of [published, edited, rejectedEdit]) {
    const { record, revisions } = await storedRecord(database, id);
    expect(record).toEqual({ status: 'APPROVED', revision: 1, published: 1 });
    expect(revisions.map(({ revision }) => revision)).toEqual([1]);
  }
  const { record, revisions } = await storedRecord(database, editedBefore);
  expect([record, revisions.map(({ revision }) => revision)]).toEqual([
    { status: 'APPROVED', revision: 3, published: 3 },
    [1, 3],
  ]);
  const owned = await database
    .selectFrom('record')
    .select('id')
    .where('owner_account_id', '=', owner.accountId)
    .execute();
  expect(owned).toEqual([]);
  const submissions = await database
    .selectFrom('record')
    .innerJoin('submission', 'submission.id', 'record.submission_id')
    .leftJoin('submitter', 'submitter.submission_id', 'submission.id')
    .select(['submission.owner_account_id', 'user_metadata'])
    .where('record.id', 'in', [published, edited, rejectedEdit])
    .execute();
  expect(submissions).toHaveLength(3);
  for (const submission of submissions) expect(submission).toEqual({ owner_account_id: null, user_metadata: null });
  expect(await storedRecord(database, others)).toEqual(before);
});

test('public records lose their sample id', async () => {
  const owner = newAccount();
  const [id = 0] = await storeRecords(database, 1, owner);
  const researchMetadata = { sampleId: 'PVA-07', remarks: 'dry' };
  await update(database, id, [{ ...recordAt(2, 'PVA'), researchMetadata }], { caller: owner });
  await approve([id]);
  await erase(owner.accountId);
  const { revisions } = await storedRecord(database, id);
  const { researchMetadata: left, ...data } = revisions.at(-1)?.data ?? {};
  expect([left, data]).toEqual([{ remarks: 'dry' }, recordAt(2, 'PVA')]);
});

test('a valid assertion of a deleted account stores nothing', async () => {
  const owner = newAccount();
  const [id = 0] = await storeRecords(database, 1, owner);
  await approve([id]);
  await erase(owner.accountId);
  await expect(submitRecords(database, ['PCL'], owner)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  await expect(update(database, id, [recordAt(1, 'PCL')], { caller: owner })).rejects.toMatchObject({
    code: 'RECORD_NOT_FOUND',
  });
  expect((await storedRecord(database, id)).revisions).toHaveLength(1);
});

test('concurrent submissions and updates leave nothing that belongs to the account', async () => {
  for (let round = 0; round < 10; round += 1) {
    const owner = newAccount();
    const ids = await storeRecords(database, 5, owner);
    await Promise.allSettled([
      ...ids.map((id) => update(database, id, [recordAt(id, 'PVA')], { caller: owner })),
      submitRecords(database, ['PCL'], owner),
      erase(owner.accountId),
      submitRecords(database, ['PVA'], owner),
      submitRecords(database, ['PVA'], owner),
    ]);
    for (const table of ['record', 'submission'] as const) {
      const left = await database
        .selectFrom(table)
        .select('id')
        .where('owner_account_id', '=', owner.accountId)
        .execute();
      expect(left).toEqual([]);
    }
  }
});

test('erasing an account waits for a submission that is being stored, and deletes it', async () => {
  const owner = newAccount();
  const [prepared] = await addWarnings(
    testContext(database),
    [{ data: recordAt(1, 'PCL'), missingFields: [], warnings: [] }],
    { accountId: owner.accountId, except: [] },
    submitRequest(owner),
  );
  if (!prepared) throw new Error('nothing was prepared');
  let erasing: Promise<void> | undefined;
  const { recordIds } = await database.transaction().execute(async (transaction) => {
    await delayAccountDeletion(transaction, owner.accountId);
    const ids = await insertSubmission(transaction, {
      submission: { userMetadata: {}, researchMetadata: {}, imageOnly: false },
      records: [{ ...prepared, status: 'PENDING' }],
      ownerAccountId: owner.accountId,
      credential: 'session',
      requestId: 'test',
    });
    let isErased = false;
    erasing = erase(owner.accountId).then(() => {
      isErased = true;
    });
    while (!isErased && !(await isLockAwaited(transaction))) await sleep(5);
    return ids;
  });
  await erasing;
  expect((await storedRecord(database, recordIds[0] ?? 0)).record).toBeUndefined();
});

test('erases more records than fit into one transaction', async () => {
  const owner = newAccount();
  const ids = await storeRecords(database, 1_000, owner);
  await storeRecords(database, 300, owner);
  await approve(ids.slice(400, 600));
  await erase(owner.accountId);
  const left = await database.selectFrom('record').select('id').where('id', 'in', ids).orderBy('id').execute();
  expect(left.map(({ id }) => id)).toEqual(ids.slice(400, 600));
});

test('an incomplete event is refused', () => {
  const accountId = newAccount().accountId;
  const deletedAt = new Date(1_000);
  const encode = (event: AccountDeleted) => AccountDeleted.encode(event).finish();
  expect(decodeAccountDeleted(encode({ accountId, deletedAt }))).toEqual({ accountId, deletedAt });
  expect(() => decodeAccountDeleted(encode({ accountId, deletedAt: undefined }))).toThrow('is incomplete');
  expect(() => decodeAccountDeleted(encode({ accountId: '7', deletedAt }))).toThrow('"7"');
  expect(() => decodeAccountDeleted(Uint8Array.of(255, 255))).toThrow();
});
