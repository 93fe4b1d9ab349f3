import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { ColumnIndex, type ColumnView } from '../../../src/read-index/columns/column-index.ts';
import { selectRows, valuesAt, valuesOf } from '../../../src/read-index/columns/figures.ts';
import { FOREVER, type RowColumns, toColumns } from '../../../src/read-index/columns/row-columns.ts';
import { findAll, findPage } from '../../../src/read-index/columns/search.ts';
import type { ColumnCondition } from '../../../src/read-index/columns/segment.ts';
import {
  FEATURE_COLUMNS,
  featureKeys,
  type IndexRow,
  TERM_COLUMNS,
  termKeys,
} from '../../../src/read-index/index-row.table.ts';

const VOLTAGE = featureKeys.indexOf('voltage');
const DIAMETER = featureKeys.indexOf('fiberDiameter');
const POLYMER = termKeys.indexOf('polymer');

const none = Object.fromEntries(
  [...Object.values(FEATURE_COLUMNS), ...Object.values(TERM_COLUMNS)].map((column) => [column, null]),
) as Pick<
  IndexRow,
  (typeof FEATURE_COLUMNS)[keyof typeof FEATURE_COLUMNS] | (typeof TERM_COLUMNS)[keyof typeof TERM_COLUMNS]
>;

type Drawn = Partial<Pick<IndexRow, 'voltage' | 'fiber_diameter' | 'polymer' | 'is_formation_stable'>>;

const rowOf = (rowId: number, recordId: number, validFrom: number, drawn: Drawn): IndexRow => ({
  ...none,
  row_id: rowId,
  record_id: recordId,
  valid_from: validFrom,
  valid_to: null,
  is_formation_stable: null,
  not_convertible: 0,
  published_at: null,
  rules: 3,
  ...drawn,
});

/** The plain meaning: a look at every row. */
function plainly(rows: readonly IndexRow[], conditions: readonly ColumnCondition[], revision: number): IndexRow[] {
  return rows
    .filter(({ valid_from: from, valid_to: to }) => from <= revision && (to ?? FOREVER) > revision)
    .filter((row) =>
      conditions.every((condition) => {
        switch (condition.kind) {
          case 'range': {
            const value = condition.feature === VOLTAGE ? row.voltage : row.fiber_diameter;
            return value !== null && value >= condition.min && value <= condition.max;
          }
          case 'terms':
            return condition.ids.includes(row.polymer ?? 0);
          case 'stability':
            return condition.values.includes([null, false, true].indexOf(row.is_formation_stable));
          case 'noTerms':
            return row.polymer === null;
        }
      }),
    )
    .sort((a, b) => a.record_id - b.record_id);
}

async function* one(rows: RowColumns) {
  await Promise.resolve();
  yield rows;
}

const few = fc.constantFrom(-1e9, -1, -0, 0, 0.1, 0.25, 1, 2, 3, 10, 12.5, 1e9);
const drawn = fc.record<Drawn>(
  {
    voltage: few,
    fiber_diameter: few,
    polymer: fc.integer({ min: 1, max: 6 }),
    is_formation_stable: fc.boolean(),
  },
  { requiredKeys: [] },
);
const range = fc
  .tuple(fc.constantFrom(VOLTAGE, DIAMETER), fc.option(few), fc.option(few))
  .map(([feature, min, max]): ColumnCondition => ({
    kind: 'range',
    feature,
    min: min ?? -Infinity,
    max: max ?? Infinity,
  }));
const terms = fc
  .uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1 })
  .map((ids): ColumnCondition => ({ kind: 'terms', term: POLYMER, ids: Int32Array.from(ids).sort() }));
const noTerms = fc.constant<ColumnCondition>({ kind: 'noTerms', term: POLYMER });
const stability = fc
  .uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 })
  .map((values): ColumnCondition => ({ kind: 'stability', values }));
const conditions = fc.array(fc.oneof(range, terms, noTerms, stability), { maxLength: 3 });

async function expectPlain(view: ColumnView, rows: readonly IndexRow[], asked: readonly ColumnCondition[]) {
  const plainRows = plainly(rows, asked, view.revision);
  const plain = plainRows.map(({ row_id: id }) => id);
  expect([...(await findAll(view, asked))]).toEqual(plain);
  for (const [skip, limit] of [
    [0, 3],
    [2, 4],
    [5, 100],
  ] as const) {
    expect(await findPage(view, asked, skip, limit)).toMatchObject({
      total: plain.length,
      rowIds: plain.slice(skip, skip + limit),
    });
    for (const after of [0, 1, 5, 7, 13, 20]) {
      const rest = plainRows.filter(({ record_id: id }) => id > after);
      const page = rest.slice(skip, skip + limit);
      expect(await findPage(view, asked, skip, limit, after)).toEqual({
        total: plain.length,
        rowIds: page.map(({ row_id: id }) => id),
        before: plain.length - rest.length,
        lastRecordId: page.at(-1)?.record_id,
      });
    }
  }
}

describe('the column index finds what a look at every row finds', () => {
  const edit = fc.tuple(fc.integer({ min: 1, max: 14 }), drawn);
  const history = fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 });

  test('at every revision of any history, however rows are spread over segments and tail, also while a merge is under way', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(conditions, { minLength: 1, maxLength: 4 }),
        fc.nat(6),
        async (batches, asked, loaded) => {
          const rows: IndexRow[] = [];
          const ends: { rowId: number; recordId: number; validTo: number }[][] = [];
          const added: IndexRow[][] = [];
          for (const [at, batch] of batches.entries()) {
            const revision = at + 1;
            const records = new Map(batch);
            ends.push([]);
            for (const row of rows) {
              if (row.valid_to !== null || !records.has(row.record_id)) continue;
              row.valid_to = revision;
              ends.at(-1)?.push({ rowId: row.row_id, recordId: row.record_id, validTo: revision });
            }
            const fresh = [...records].map(([recordId, values], place) =>
              rowOf(revision * 100 + place, recordId, revision, values),
            );
            added.push(fresh.sort((a, b) => a.record_id - b.record_id));
            rows.push(...fresh);
          }
          const first = Math.min(loaded, batches.length);
          const known = rows
            .filter((row) => row.valid_from <= first)
            .map((row) => ({ ...row, valid_to: row.valid_to !== null && row.valid_to > first ? null : row.valid_to }))
            .sort((a, b) => a.record_id - b.record_id || a.row_id - b.row_id);
          const index = await ColumnIndex.build(one(toColumns(known)), { segmentRows: 4, tailRows: 3 });
          let merging = Promise.resolve();
          for (let revision = first + 1; revision <= batches.length; revision += 1) {
            index.append(toColumns(added[revision - 1] ?? []));
            index.end(ends[revision - 1] ?? []);
            merging = Promise.all([merging, index.mergeTail()]).then(() => undefined);
            for (const filter of asked) await expectPlain(index.view(revision), rows, filter);
          }
          await merging;
          await index.mergeTail();
          expect(index.size).toMatchObject({ rows: rows.length });
          expect(index.size.tail).toBeLessThanOrEqual(3);
          for (let revision = 1; revision <= batches.length; revision += 1) {
            for (const filter of asked) await expectPlain(index.view(revision), rows, filter);
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test('by bins: values between, on and beyond their edges', async () => {
    const spread = fc.constantFrom<(random: number) => number | null>(
      (random) => random,
      (random) => Math.round(random * 5),
      (random) => (random < 0.9 ? null : random),
      (random) => Math.exp(random * 300),
      () => 7,
      () => null,
      (random) => (random - 0.5) * Number.MAX_VALUE,
    );
    const end = fc.option(fc.tuple(fc.nat(5_999), fc.constantFrom(-1, 0, 1)));
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        spread,
        fc.array(fc.tuple(end, end), { minLength: 20, maxLength: 20 }),
        async (seed, shape, ranges) => {
          let state = seed;
          const random = () => {
            state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
            return (state >>> 0) / 2 ** 32;
          };
          const rows = Array.from({ length: 6_000 }, (_, at) => rowOf(at + 1, at + 1, 1, { voltage: shape(random()) }));
          const index = await ColumnIndex.build(one(toColumns(rows)));
          const view = index.view(1);
          for (const [low, high] of ranges) {
            const bound = (at: typeof low, open: number) => {
              const value = at === null ? undefined : rows[at[0]]?.voltage;
              if (at === null || value === null || value === undefined) return open;
              return value + at[1] * Math.abs(value) * Number.EPSILON * 4;
            };
            const asked: ColumnCondition[] = [
              { kind: 'range', feature: VOLTAGE, min: bound(low, -Infinity), max: bound(high, Infinity) },
            ];
            const plain = plainly(rows, asked, 1).map(({ row_id: id }) => id);
            expect(
              Buffer.from((await findAll(view, asked)).buffer).equals(Buffer.from(Int32Array.from(plain).buffer)),
            ).toBe(true);
          }
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

test('a reader keeps its revision while rows end and merges go on', async () => {
  const rows = Array.from({ length: 20 }, (_, at) => rowOf(at + 1, at + 1, 1, { voltage: at }));
  const index = await ColumnIndex.build(one(toColumns(rows)), { segmentRows: 4, tailRows: 0 });
  const held = index.view(1);
  index.append(toColumns([rowOf(100, 3, 2, { voltage: 100 }), rowOf(101, 21, 2, {})]));
  index.end([{ rowId: 3, recordId: 3, validTo: 2 }]);
  const merge = index.mergeTail();
  index.append(toColumns([rowOf(102, 3, 3, { voltage: 5 })]));
  index.end([{ rowId: 100, recordId: 3, validTo: 3 }]);
  await merge;
  await index.mergeTail();
  expect([...(await findAll(held, []))]).toEqual(rows.map(({ row_id: id }) => id));
  expect((await findPage(index.view(2), [], 2, 1)).rowIds).toEqual([100]);
  expect((await findPage(index.view(3), [], 2, 1)).rowIds).toEqual([102]);
  expect((await findPage(index.view(3), [], 0, 1)).total).toBe(21);
});

test('a row that is not there cannot end', async () => {
  const index = await ColumnIndex.build(one(toColumns([rowOf(1, 1, 1, {})])));
  expect(() => {
    index.end([{ rowId: 2, recordId: 1, validTo: 2 }]);
  }).toThrow('the index has no row 2 of record 1');
});

test('values at places are those of the values sorted', async () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 1, 2, 1e300));
  await fc.assert(
    fc.asyncProperty(
      fc.array(number, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 1_000 }),
      async (some, times) => {
        const values = Float64Array.from({ length: some.length * times }, (_, at) => (some[at % some.length] ?? 0) + 0);
        const sorted = values.slice().sort();
        const places = [0, values.length - 1, values.length >> 1, values.length >> 3, values.length >> 1];
        expect(await valuesAt(values, places)).toEqual(places.map((place) => sorted[place]));
      },
    ),
    { numRuns: runs(25) },
  );
});

test('the values of a feature are those of the rows selected', async () => {
  const rows = [
    rowOf(1, 1, 1, { voltage: 5 }),
    rowOf(2, 2, 1, {}),
    rowOf(3, 3, 1, { voltage: 0 }),
    rowOf(4, 4, 2, { voltage: 9 }),
  ];
  const index = await ColumnIndex.build(one(toColumns(rows.slice(0, 3))));
  index.append(toColumns(rows.slice(3)));
  const at = async (revision: number) => [...(await valuesOf(await selectRows(index.view(revision), []), VOLTAGE))];
  expect(await at(1)).toEqual([5, 0]);
  expect(await at(2)).toEqual([5, 0, 9]);
});
