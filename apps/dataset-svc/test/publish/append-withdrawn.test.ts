import { afterAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { runs } from '@esd/testing/property-runs';
import { migrations } from '../../migrations/index.ts';
import { describePublished, getHead } from '../../src/dataset-log/dataset-log.store.ts';
import { appendWithdrawn } from '../../src/publish/append-withdrawn.ts';
import { logAppender } from '../../src/publish/append-approved.ts';
import { openReadIndex, type ReadIndex } from '../../src/read-index/read-index.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';
import { decodeRecordWithdrawn } from '../../src/publish/record-withdrawn.event.ts';

const log = pino({ level: 'silent' });
const { url, drop } = await createDatabase('withdrawn', migrations);
const database = openDatabase<Tables>(url, 5, log);
await seedLists(database);
const append = logAppender(database);
afterAll(async () => {
  await database.destroy();
  await drop();
});

async function reset(): Promise<void> {
  await sql`truncate record_revision, withdrawal, index_term cascade`.execute(database);
  await sql`delete from dataset_revision where revision > 1`.execute(database);
  await sql`update dataset_head set revision = 1, record_count = 0, dataset_id = gen_random_uuid()`.execute(database);
}
beforeEach(reset);

const at = new Date('2026-02-03T04:05:06Z');
const REASON = 'The paper was retracted.';
const withdrawn = (recordId: number, recordRevision: number) => ({
  recordId,
  recordRevision,
  withdrawnAt: at,
  reason: REASON,
});
const approved = (recordId: number, recordRevision: number) => ({
  recordId,
  recordRevision,
  body: JSON.stringify({ recordId, recordRevision }),
  data: { processParameter: { voltage: recordRevision, voltageUnit: 'kV' } },
  approvedAt: at,
});
const withdraw = (recordId: number, recordRevision: number) =>
  appendWithdrawn(database, [withdrawn(recordId, recordRevision)]);

/** The public record revisions by record id. */
const live = async () => {
  const rows = await database
    .selectFrom('record_revision')
    .select(['record_id', 'record_revision'])
    .where('valid_to', 'is', null)
    .orderBy('record_id')
    .execute();
  return rows.map((row) => [row.record_id, row.record_revision]);
};

test('a withdrawal removes a record in the next dataset revision, and an earlier approval does not restore it', async () => {
  const before = await append([approved(1, 1), approved(2, 1)]);
  expect(await withdraw(1, 2)).toBe((before ?? 0) + 1);
  expect(await getHead(database)).toMatchObject({ revision: 3, recordCount: 1 });
  for (let times = 0; times < 2; times += 1) {
    expect(await append([approved(1, 1)])).toBeUndefined();
    expect(await withdraw(1, 2)).toBeUndefined();
  }
  expect(await live()).toEqual([[2, 1]]);
  expect(await append([approved(1, 3)])).toBe(4);
  expect(await withdraw(1, 2)).toBeUndefined();
  expect(await live()).toEqual([
    [1, 3],
    [2, 1],
  ]);
});

test('a record is described at the requested state, with its current withdrawal', async () => {
  await append([approved(1, 1)]);
  await withdraw(1, 2);
  await append([approved(2, 1)]);
  const withdrawal = { at, reason: REASON };
  expect(await describePublished(database, 1, 2)).toMatchObject({ recordRevision: 1, withdrawn: withdrawal });
  for (const revision of [3, 4])
    expect(await describePublished(database, 1, revision)).toEqual({ withdrawn: withdrawal, versions: [] });
  await expect(describePublished(database, 1, 1)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
  await append([approved(1, 3)]);
  expect(await describePublished(database, 1, 2)).toMatchObject({ recordRevision: 1, withdrawn: undefined });
  expect(await describePublished(database, 1, 4)).toEqual({ withdrawn: withdrawal, versions: [] });
  expect(await describePublished(database, 1, 5)).toMatchObject({ recordRevision: 3, withdrawn: undefined });
});

test('a withdrawal that arrives before its approval prevents the record from being public', async () => {
  expect(await withdraw(1, 2)).toBe(2);
  expect(await append([approved(1, 1)])).toBeUndefined();
  expect(await getHead(database)).toMatchObject({ revision: 2, recordCount: 0 });
  expect(await describePublished(database, 1, 2)).toEqual({ withdrawn: { at, reason: REASON }, versions: [] });
});

test('an invalid withdrawal event is rejected', () => {
  expect(() => decodeRecordWithdrawn(Buffer.from([8, 1]))).toThrow('is incomplete');
  expect(() => decodeRecordWithdrawn(Buffer.from('nonsense'))).toThrow();
});

const event = fc.record({
  recordId: fc.integer({ min: 1, max: 4 }),
  recordRevision: fc.integer({ min: 1, max: 6 }),
});
const batch = fc.record({ events: fc.array(event, { minLength: 1, maxLength: 4 }), again: fc.boolean() });
const history = fc.array(batch, { minLength: 1, maxLength: 10 });

// A revision of a record is either approved or withdraws it, as in submission-svc.
const isWithdrawal = ({ recordId, recordRevision }: { recordId: number; recordRevision: number }) =>
  (recordId + recordRevision) % 3 === 0;

/** Reads the features of all public records from an index. */
async function indexed(index: ReadIndex, revision: number) {
  const { rowIds } = await index.findAll([], { revision });
  const rows = await database
    .selectFrom('record_revision')
    .select(['row_id', 'record_id'])
    .where('row_id', '=', sql<number>`any(${[...rowIds]})`)
    .orderBy('record_id')
    .execute();
  return index.featuresOf(rows.map((row) => ({ rowId: row.row_id, recordId: row.record_id })));
}

test('any history, repeated and in any order, ends at the newest event of each record in a live and a new index', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (batches) => {
      await reset();
      const following = openReadIndex({ database, databaseUrl: url, log });
      const newest = new Map<number, { recordId: number; recordRevision: number }>();
      for (const { events, again } of batches) {
        const withdrawals = events.filter(isWithdrawal);
        const approvals = events.filter((one) => !isWithdrawal(one));
        for (let times = again ? 2 : 1; times > 0; times -= 1) {
          if (withdrawals.length > 0) {
            await appendWithdrawn(
              database,
              withdrawals.map((one) => withdrawn(one.recordId, one.recordRevision)),
            );
          }
          if (approvals.length > 0) await append(approvals.map((one) => approved(one.recordId, one.recordRevision)));
        }
        for (const one of events) {
          if (one.recordRevision > (newest.get(one.recordId)?.recordRevision ?? 0)) newest.set(one.recordId, one);
        }
      }
      const expected = [...newest.values()]
        .filter((one) => !isWithdrawal(one))
        .map((one) => [one.recordId, one.recordRevision])
        .toSorted(([a = 0], [b = 0]) => a - b);
      expect(await live()).toEqual(expected);
      const { revision, recordCount, datasetId } = await getHead(database);
      expect(recordCount).toBe(expected.length);
      const rebuilt = openReadIndex({ database, databaseUrl: url, log });
      try {
        for (const index of [following, rebuilt]) {
          for (;;) {
            const state = await index.state({ datasetId, revision }).catch(() => undefined);
            if (state?.revision === revision) break;
          }
          expect(await indexed(index, revision)).toEqual(
            expected.map(([, voltage]) => expect.objectContaining({ voltage })),
          );
        }
      } finally {
        await following.stop();
        await rebuilt.stop();
      }
    }),
    { numRuns: runs(20) },
  );
});
