import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SortKey } from '@esd/record/filter/sort-keys';
import { runs } from '@esd/testing/property-runs';
import { findPage } from '../../src/read-index/find-page.ts';
import { matchingRows } from '../../src/read-index/matching-rows.ts';
import { sortedRows } from '../../src/read-index/sorted-rows.ts';
import { columnsOf, type PlainRow, indexAt, terms, validAt } from './plain-rows.ts';

function plainValue(row: PlainRow, key: SortKey['key']): number | string | undefined {
  switch (key) {
    case 'recordId':
      return row.recordId;
    case 'doi':
      return row.doi === undefined ? undefined : terms[row.doi];
    case 'publishedAt':
      return row.publishedAt;
    case 'voltage':
      return typeof row.voltage === 'number' ? row.voltage : undefined;
    default:
      return row.fiberDiameter;
  }
}

function plainOrder(rows: readonly PlainRow[], sort: readonly SortKey[]): number[] {
  return rows
    .toSorted((one, other) => {
      for (const { key, descending } of sort) {
        const [a, b] = [plainValue(one, key), plainValue(other, key)];
        if (a === undefined && b === undefined) continue;
        if (a === undefined) return 1;
        if (b === undefined) return -1;
        if (a !== b) return a < b === descending ? 1 : -1;
      }
      return one.recordId - other.recordId;
    })
    .map(({ rowId }) => rowId);
}

const keyNames = ['voltage', 'fiberDiameter', 'doi', 'publishedAt', 'recordId'] as const;
const sorts: fc.Arbitrary<SortKey[]> = fc.uniqueArray(
  fc.record({ key: fc.constantFrom(...keyNames), descending: fc.boolean() }),
  { minLength: 1, maxLength: 3, selector: ({ key }) => key },
);
/** Generators of values by a random number: with ties, without ties, mostly missing, far apart. */
const shape = fc.constantFrom<(random: number) => number | undefined>(
  (random) => random,
  (random) => Math.round(random * 4),
  (random) => (random < 0.5 ? -0 : 0),
  (random) => (random < 0.9 ? undefined : random),
  (random) => (random < 0.4 ? undefined : Math.round(random * 1e3) - 700),
  (random) => Math.exp(random * 300) - 5,
  () => 7,
  () => undefined,
);

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

async function expectSorted(
  count: number,
  seed: number,
  shapes: readonly ((random: number) => number | undefined)[],
  sort: readonly SortKey[],
): Promise<void> {
  const random = generator(seed);
  const value = (at: number) => shapes[at]?.(random());
  const draw = (rowId: number, recordId: number, validFrom: number): PlainRow => ({
    rowId,
    recordId,
    validFrom,
    voltage: random() < 0.1 ? '?' : value(0),
    fiberDiameter: value(1),
    publishedAt: value(2),
    doi: Math.floor(random() * 6) || undefined,
  });
  const first = Array.from({ length: count }, (_, at) => draw(at + 1, 2 * at + 2, 1));
  // Later revisions of some records, and new records between them.
  const later = Array.from({ length: Math.ceil(count / 20) }, (_, at) =>
    draw(count + at + 1, 40 * at + (random() < 0.5 ? 2 : 3), 2),
  );
  const replaced = new Set(later.map(({ recordId }) => recordId));
  const rows = [...first.map((row) => ({ ...row, validTo: replaced.has(row.recordId) ? 2 : undefined })), ...later];
  const columns = await columnsOf(rows);
  for (const revision of [1, 2]) {
    const plain = plainOrder(validAt(rows, revision), sort);
    const index = indexAt(columns, revision);
    const all = await sortedRows(index, await matchingRows(index, []), sort);
    expect(Array.from(all, (slot) => columns.rowId[slot])).toEqual(plain);
    const { length } = plain;
    const skips = [0, 1, length >> 2, length >> 1, Math.max(0, length - 7), length, length + 5];
    for (const skip of [...skips, ...Array.from({ length: 3 }, () => Math.floor(random() * length))]) {
      const limit = 1 + Math.floor(random() * 100);
      const { total, rowIds } = await findPage(index, { filter: [], sort, skip, limit });
      expect([total, rowIds]).toEqual([length, plain.slice(skip, skip + limit)]);
    }
  }
}

test('a page of few rows equals a part of all sorted rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(shape, { minLength: 3, maxLength: 3 }),
      sorts,
      fc.integer({ min: 1, max: 60 }),
      (seed, shapes, sort, count) => expectSorted(count, seed, shapes, sort),
    ),
    { numRuns: runs(100) },
  );
});

test('a page of rows with many ties equals a part of all sorted rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(shape, { minLength: 3, maxLength: 3 }), sorts, (seed, shapes, sort) =>
      expectSorted(9_000, seed, shapes, sort),
    ),
    { numRuns: runs(8) },
  );
});

test('pages after a record id cover all rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 0, max: 70 }),
      async (recordIds, limit, start) => {
        const rows = recordIds.map((recordId, at) => ({ rowId: at + 1, recordId, validFrom: 1 }));
        const index = indexAt(await columnsOf(rows), 1);
        const plain = validAt(rows, 1);
        const rest = plain.filter(({ recordId }) => recordId > start);
        const seen: number[] = [];
        for (let after: number | undefined = start; after !== undefined;) {
          const page = await findPage(index, { filter: [], skip: 0, limit, after });
          const upTo = after;
          expect(page).toMatchObject({
            total: plain.length,
            before: plain.filter(({ recordId }) => recordId <= upTo).length,
          });
          seen.push(...page.rowIds);
          after = page.nextAfter;
        }
        expect(seen).toEqual(rest.map(({ rowId }) => rowId));
      },
    ),
    { numRuns: runs(100) },
  );
});
