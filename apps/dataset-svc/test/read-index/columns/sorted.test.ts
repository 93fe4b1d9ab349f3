import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { ColumnIndex } from '../../../src/read-index/columns/column-index.ts';
import { newRows, type RowColumns, STABILITY } from '../../../src/read-index/columns/row-columns.ts';
import type { ColumnCondition } from '../../../src/read-index/columns/segment.ts';
import { type ColumnKey, findAllSorted, findSortedPage } from '../../../src/read-index/columns/sorted.ts';
import { featureKeys, termKeys } from '../../../src/read-index/index-row.table.ts';

const VOLTAGE = featureKeys.indexOf('voltage');
const DIAMETER = featureKeys.indexOf('fiberDiameter');
const DOI = termKeys.indexOf('doi');
/** The texts of the ids in another order. */
const RANKS = Int32Array.of(0, 3, 0, 2, 1);

interface Row {
  recordId: number;
  voltage: number;
  diameter: number;
  publishedAt: number;
  doi: number;
  stability: number;
}

type Mutable<Column> = Column extends readonly (infer Part)[] ? Part[] : Column;

function columnsOf(drawn: readonly Row[], firstRowId: number): RowColumns {
  const rows = newRows(drawn.length);
  for (const features of rows.features) features.fill(NaN);
  for (const [at, row] of drawn.entries()) {
    rows.rowId[at] = firstRowId + at;
    rows.recordId[at] = row.recordId;
    rows.validFrom[at] = firstRowId === 1 ? 1 : 2;
    rows.validTo[at] = 2_147_483_647;
    rows.publishedAt[at] = row.publishedAt;
    rows.stability[at] = row.stability;
    const set = (column: Mutable<RowColumns['features']>[number] | undefined, value: number) => {
      if (column) column[at] = value;
    };
    set(rows.features[VOLTAGE], row.voltage);
    set(rows.features[DIAMETER], row.diameter);
    const terms = rows.terms[DOI];
    if (terms) terms[at] = row.doi;
  }
  return rows;
}

/** What a row is sorted by; undefined where it has none. */
function plainValue(row: Row, key: ColumnKey): number | undefined {
  const value =
    key.kind === 'feature'
      ? key.feature === VOLTAGE
        ? row.voltage
        : row.diameter
      : key.kind === 'term'
        ? row.doi === 0
          ? NaN
          : key.ranks[row.doi]
        : row[key.kind];
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

function plainOrder(rows: readonly Row[], keys: readonly ColumnKey[]): number[] {
  return rows
    .toSorted((one, other) => {
      for (const key of keys) {
        const [a, b] = [plainValue(one, key), plainValue(other, key)];
        if (a === undefined && b === undefined) continue;
        if (a === undefined) return 1;
        if (b === undefined) return -1;
        if (a !== b) return key.descending ? b - a : a - b;
      }
      return one.recordId - other.recordId;
    })
    .map(({ recordId }) => recordId);
}

async function* one(rows: RowColumns) {
  await Promise.resolve();
  yield rows;
}

const keyOf = (descending: boolean) =>
  fc.constantFrom<ColumnKey>(
    { kind: 'feature', feature: VOLTAGE, descending },
    { kind: 'feature', feature: DIAMETER, descending },
    { kind: 'term', term: DOI, ranks: RANKS, descending },
    { kind: 'publishedAt', descending },
    { kind: 'recordId', descending },
  );
const keys = fc.uniqueArray(fc.boolean().chain(keyOf), {
  minLength: 1,
  maxLength: 3,
  selector: (key) => (key.kind === 'feature' ? `${key.feature}` : key.kind),
});
/** By the random part of a row: with ties, without, mostly missing, far apart. */
const shape = fc.constantFrom<(random: number) => number>(
  (random) => random,
  (random) => Math.round(random * 4),
  (random) => (random < 0.5 ? -0 : 0),
  (random) => (random < 0.9 ? NaN : random),
  (random) => (random < 0.4 ? NaN : Math.round(random * 1e3) - 700),
  (random) => Math.exp(random * 300) - 5,
  () => 7,
  () => NaN,
);

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

const STABLE: ColumnCondition = { kind: 'stability', values: [STABILITY.yes] };

async function expectSorted(
  count: number,
  limits: { segmentRows: number; tailRows: number },
  seed: number,
  shapes: readonly ((random: number) => number)[],
  sort: readonly ColumnKey[],
): Promise<void> {
  const random = generator(seed);
  const value = (at: number) => shapes[at]?.(random()) ?? NaN;
  const draw = (recordId: number): Row => ({
    recordId,
    voltage: value(0),
    diameter: value(1),
    publishedAt: value(2),
    doi: Math.floor(random() * 5),
    stability: random() < 0.7 ? STABILITY.yes : STABILITY.no,
  });
  const rows = Array.from({ length: count }, (_, at) => draw(2 * at + 2));
  const index = await ColumnIndex.build(one(columnsOf(rows, 1)), limits);
  // Later revisions of some records, and new ones between.
  const later = Array.from({ length: Math.ceil(count / 20) }, (_, at) => draw(40 * at + (random() < 0.5 ? 2 : 3)));
  index.append(columnsOf(later, count + 1));
  const replaced = later.filter(({ recordId }) => recordId % 2 === 0);
  index.end(replaced.map(({ recordId }) => ({ rowId: recordId / 2, recordId, validTo: 2 })));
  const gone = new Set(replaced.map(({ recordId }) => recordId));
  const newest = [...rows.filter(({ recordId }) => !gone.has(recordId)), ...later];
  const recordIds = (rowIds: Iterable<number>) =>
    Array.from(rowIds, (rowId) => (rowId <= count ? rows[rowId - 1] : later[rowId - count - 1])?.recordId);
  for (const [revision, shown] of [
    [1, rows],
    [2, newest],
  ] as const) {
    for (const conditions of [[], [STABLE]]) {
      const matching = conditions.length === 0 ? shown : shown.filter(({ stability }) => stability === STABILITY.yes);
      const plain = plainOrder(matching, sort);
      const view = index.view(revision);
      expect(recordIds(await findAllSorted(view, conditions, sort))).toEqual(plain);
      const { length } = plain;
      const skips = [0, 1, length >> 2, length >> 1, Math.max(0, length - 7), length, length + 5];
      for (const skip of [...skips, ...Array.from({ length: 3 }, () => Math.floor(random() * length))]) {
        const limit = 1 + Math.floor(random() * 100);
        const { total, rowIds } = await findSortedPage(view, conditions, sort, skip, limit);
        expect([total, recordIds(rowIds)]).toEqual([length, plain.slice(skip, skip + limit)]);
      }
    }
  }
}

test('a page is that part of all rows sorted, in few rows spread over segments and tail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(shape, { minLength: 3, maxLength: 3 }),
      keys,
      fc.integer({ min: 1, max: 60 }),
      (seed, shapes, sort, count) => expectSorted(count, { segmentRows: 7, tailRows: 100 }, seed, shapes, sort),
    ),
    { numRuns: runs(100) },
  );
});

test('a page is that part of all rows sorted, where bins and ties are many', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(shape, { minLength: 3, maxLength: 3 }), keys, (seed, shapes, sort) =>
      expectSorted(24_000, { segmentRows: 10_000, tailRows: 2_048 }, seed, shapes, sort),
    ),
    { numRuns: runs(5) },
  );
}, 120_000);
