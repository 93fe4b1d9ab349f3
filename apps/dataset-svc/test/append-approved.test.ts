import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { migrate } from '@esd/service/migrate';
import { openDatabase } from '@esd/service/postgres';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import { type ApprovedRevision, appendApproved } from '../src/dataset-log/append-approved.ts';
import { findBodies, getHead, getState, scanBodies } from '../src/dataset-log/dataset-log.store.ts';
import type { Tables } from '../src/tables.ts';

let database: Kysely<Tables>;
let drop: () => Promise<void>;

beforeAll(async () => {
  const created = await createDatabase('dataset');
  drop = created.drop;
  database = openDatabase<Tables>(created.url, 5, pino({ level: 'silent' }));
  await migrate(database, migrations);
});

afterAll(async () => {
  await database.destroy();
  await drop();
});

beforeEach(async () => {
  await sql`truncate record_revision, dataset_revision cascade`.execute(database);
  await sql`update dataset_head set revision = 0, record_count = 0, reference_revision = 0`.execute(database);
});

const approved = (recordId: number, recordRevision: number): ApprovedRevision => ({
  recordId,
  recordRevision,
  body: JSON.stringify({ recordId, recordRevision }),
  approvedAt: new Date('2026-01-01T00:00:00Z'),
});

const latest = async (): Promise<string[]> => findBodies(database, (await getHead(database)).revision, 0, 1_000);
const body = (recordId: number, recordRevision: number): string => approved(recordId, recordRevision).body;

test('an approval is the next dataset revision', async () => {
  expect(await appendApproved(database, [approved(1, 1)])).toBe(1);
  expect(await appendApproved(database, [approved(2, 1), approved(3, 1)])).toBe(2);
  expect(await getHead(database)).toMatchObject({ revision: 2, recordCount: 3 });
  expect(await latest()).toEqual([body(1, 1), body(2, 1), body(3, 1)]);
});

test('the same event ten times is one revision', async () => {
  for (let i = 0; i < 10; i += 1) await appendApproved(database, [approved(1, 1)]);
  expect(await getHead(database)).toMatchObject({ revision: 1, recordCount: 1 });
});

test('the same event ten times at once is one revision', async () => {
  await Promise.all(Array.from({ length: 10 }, () => appendApproved(database, [approved(1, 1)])));
  expect(await getHead(database)).toMatchObject({ revision: 1, recordCount: 1 });
});

test('two revisions of a record in the wrong order leave the newer one', async () => {
  await appendApproved(database, [approved(1, 2)]);
  expect(await appendApproved(database, [approved(1, 1)])).toBeUndefined();
  expect(await latest()).toEqual([body(1, 2)]);
});

test('an edit replaces what is public and leaves the older states as they were', async () => {
  await appendApproved(database, [approved(1, 1), approved(2, 1)]);
  await appendApproved(database, [approved(1, 3)]);
  expect(await latest()).toEqual([body(1, 3), body(2, 1)]);
  expect(await findBodies(database, 1, 0, 10)).toEqual([body(1, 1), body(2, 1)]);
  expect(await getState(database, 1)).toMatchObject({ revision: 1, recordCount: 2 });
  expect(await getHead(database)).toMatchObject({ revision: 2, recordCount: 2 });
});

test('a revision that was never reached is not found', async () => {
  await expect(getState(database, 1)).rejects.toMatchObject({ code: 'VERSION_NOT_FOUND' });
});

test('when an insert fails nothing of the revision is there', async () => {
  await appendApproved(database, [approved(1, 1)]);
  await sql`
    create function refuse_record_3() returns trigger language plpgsql as
    $$ begin if new.record_id = 3 then raise exception 'refused by the test'; end if; return new; end $$`.execute(
    database,
  );
  await sql`create trigger refuse before insert on record_revision for each row execute function refuse_record_3()`.execute(
    database,
  );
  try {
    await expect(appendApproved(database, [approved(1, 2), approved(2, 1), approved(3, 1)])).rejects.toThrow('refused');
  } finally {
    await sql`drop function refuse_record_3 cascade`.execute(database);
  }
  expect(await getHead(database)).toMatchObject({ revision: 1, recordCount: 1 });
  expect(await latest()).toEqual([body(1, 1)]);
  expect(await appendApproved(database, [approved(1, 2), approved(2, 1), approved(3, 1)])).toBe(2);
});

test('pages and scans see the same records in the same order', async () => {
  await appendApproved(
    database,
    Array.from({ length: 450 }, (_, index) => approved(450 - index, 1)),
  );
  await appendApproved(database, [approved(7, 2)]);
  const { revision } = await getHead(database);
  const scanned: string[] = [];
  for await (const bodies of scanBodies(database, revision)) scanned.push(...bodies);
  const paged: string[] = [];
  for (let skip = 0; skip < 500; skip += 70) paged.push(...(await findBodies(database, revision, skip, 70)));
  expect(scanned).toHaveLength(450);
  expect(paged).toEqual(scanned);
  expect(scanned[6]).toBe(body(7, 2));
});

describe('any history', () => {
  const event = fc.record({ recordId: fc.integer({ min: 1, max: 5 }), recordRevision: fc.integer({ min: 1, max: 4 }) });
  const history = fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });

  test('ends at the newest revision of each record, and no state that was reached ever changes', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (batches) => {
        await sql`truncate record_revision, dataset_revision cascade`.execute(database);
        await sql`update dataset_head set revision = 0, record_count = 0`.execute(database);
        const newest = new Map<number, number>();
        const reached = new Map<number, string[]>();
        for (const batch of batches) {
          const before = (await getHead(database)).revision;
          const after = await appendApproved(
            database,
            batch.map((one) => approved(one.recordId, one.recordRevision)),
          );
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
          expect(await findBodies(database, revision, 0, 100)).toEqual(bodies);
          expect(await getState(database, revision)).toMatchObject({ recordCount: bodies.length });
        }
      }),
      { numRuns: 40 },
    );
  });
});
