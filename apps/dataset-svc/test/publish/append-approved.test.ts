import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { runs } from '@esd/testing/property-runs';
import { migrations } from '../../migrations/index.ts';
import { type AppendApproved, type ApprovedRevision, logAppender } from '../../src/publish/append-approved.ts';
import { getHead, getState } from '../../src/dataset-log/dataset-log.store.ts';
import type { Tables } from '../../src/tables.ts';

let database: Kysely<Tables>;
let drop: () => Promise<void>;
let append: AppendApproved;

beforeAll(async () => {
  const created = await createDatabase('dataset', migrations);
  drop = created.drop;
  database = openDatabase<Tables>(created.url, 5, pino({ level: 'silent' }));
  append = logAppender(database);
});

afterAll(async () => {
  await database.destroy();
  await drop();
});

beforeEach(async () => {
  await sql`truncate record_revision, dataset_revision, index_term cascade`.execute(database);
  await sql`update dataset_head set revision = 0, record_count = 0, reference_revision = 0`.execute(database);
});

const approved = (recordId: number, recordRevision: number): ApprovedRevision => ({
  recordId,
  recordRevision,
  body: JSON.stringify({ recordId, recordRevision }),
  data: {},
  approvedAt: new Date('2026-01-01T00:00:00Z'),
});

const bodiesAt = async (revision: number): Promise<string[]> => {
  const rows = await database
    .selectFrom('record_revision')
    .select('body')
    .where('valid_from', '<=', revision)
    .where((on) => on.or([on('valid_to', 'is', null), on('valid_to', '>', revision)]))
    .orderBy('record_id')
    .execute();
  return rows.map((row) => row.body);
};
const latest = async (): Promise<string[]> => bodiesAt((await getHead(database)).revision);
const body = (recordId: number, recordRevision: number): string => approved(recordId, recordRevision).body;

test('an approval creates the next dataset revision', async () => {
  expect(await append([approved(1, 1)])).toBe(1);
  expect(await append([approved(2, 1), approved(3, 1)])).toBe(2);
  expect(await getHead(database)).toMatchObject({ revision: 2, recordCount: 3 });
  expect(await latest()).toEqual([body(1, 1), body(2, 1), body(3, 1)]);
});

test('a repeated event creates one revision', async () => {
  for (let i = 0; i < 10; i += 1) await append([approved(1, 1)]);
  expect(await getHead(database)).toMatchObject({ revision: 1, recordCount: 1 });
});

test('concurrent repeated events create one revision', async () => {
  await Promise.all(Array.from({ length: 10 }, () => append([approved(1, 1)])));
  expect(await getHead(database)).toMatchObject({ revision: 1, recordCount: 1 });
});

test('of two revisions in the wrong order, the newer one stays', async () => {
  await append([approved(1, 2)]);
  expect(await append([approved(1, 1)])).toBeUndefined();
  expect(await latest()).toEqual([body(1, 2)]);
});

test('an edit replaces the public revision but not earlier states', async () => {
  await append([approved(1, 1), approved(2, 1)]);
  await append([approved(1, 3)]);
  expect(await latest()).toEqual([body(1, 3), body(2, 1)]);
  expect(await bodiesAt(1)).toEqual([body(1, 1), body(2, 1)]);
  expect(await getState(database, 1)).toMatchObject({ revision: 1, recordCount: 2 });
  expect(await getHead(database)).toMatchObject({ revision: 2, recordCount: 2 });
});

test('an unknown dataset revision is not found', async () => {
  await expect(getState(database, 1)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
});

test('a failed insert leaves nothing of the revision', async () => {
  await append([approved(1, 1)]);
  await sql`
    create function refuse_record_3() returns trigger language plpgsql as
    $$ begin if new.record_id = 3 then raise exception 'refused by the test'; end if; return new; end $$`.execute(
    database,
  );
  await sql`create trigger refuse before insert on record_revision for each row execute function refuse_record_3()`.execute(
    database,
  );
  try {
    await expect(append([approved(1, 2), approved(2, 1), approved(3, 1)])).rejects.toThrow('refused');
  } finally {
    await sql`drop function refuse_record_3 cascade`.execute(database);
  }
  expect(await getHead(database)).toMatchObject({ revision: 1, recordCount: 1 });
  expect(await latest()).toEqual([body(1, 1)]);
  expect(await append([approved(1, 2), approved(2, 1), approved(3, 1)])).toBe(2);
});

describe('any history', () => {
  const event = fc.record({ recordId: fc.integer({ min: 1, max: 5 }), recordRevision: fc.integer({ min: 1, max: 4 }) });
  const history = fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });

  test('ends at the newest revision of each record, and earlier states never change', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (batches) => {
        await sql`truncate record_revision, dataset_revision, index_term cascade`.execute(database);
        await sql`update dataset_head set revision = 0, record_count = 0`.execute(database);
        const newest = new Map<number, number>();
        const reached = new Map<number, string[]>();
        for (const batch of batches) {
          const before = (await getHead(database)).revision;
          const after = await append(batch.map((one) => approved(one.recordId, one.recordRevision)));
          for (const one of batch) {
            newest.set(one.recordId, Math.max(one.recordRevision, newest.get(one.recordId) ?? 0));
          }
          if (after !== undefined) {
            expect(after).toBe(before + 1);
            reached.set(after, await latest());
          }
          const expected = [...newest].sort(([a], [b]) => a - b).map(([id, revision]) => body(id, revision));
          expect(await latest()).toEqual(expected);
          expect((await getHead(database)).recordCount).toBe(expected.length);
        }
        for (const [revision, bodies] of reached) {
          expect(await bodiesAt(revision)).toEqual(bodies);
          expect(await getState(database, revision)).toMatchObject({ recordCount: bodies.length });
        }
      }),
      { numRuns: runs(40) },
    );
  });
});
