import { afterEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Condition, Filter } from '@esd/record/filter/filter';
import { runs } from '@esd/testing/property-runs';
import { Columns } from '../../src/read-index/columns.ts';
import { type IndexAtState, matchingRows } from '../../src/read-index/matching-rows.ts';
import { byRecord, columnsOf, newRows, type PlainRow, indexAt, terms, validAt } from './plain-rows.ts';

type Drawn = Pick<PlainRow, 'voltage' | 'fiberDiameter' | 'polymer' | 'stable'>;

const few = fc.constantFrom(-1e9, -1, -0, 0, 0.1, 0.25, 1, 2, 3, 10, 12.5, 1e9);
const drawn = fc.record<Drawn>(
  {
    voltage: fc.oneof(few, fc.constant('?' as const)),
    fiberDiameter: few,
    polymer: fc.integer({ min: 1, max: terms.length - 1 }),
    stable: fc.boolean(),
  },
  { requiredKeys: [] },
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(fc.constantFrom('voltage' as const, 'fiberDiameter' as const), fc.option(few), fc.option(few))
    .map(([key, min, max]) => ({ kind: 'range' as const, key, min: min ?? -Infinity, max: max ?? Infinity })),
  fc.constantFrom('a', 'lph', 'o', 'zzz').map((text) => ({ kind: 'text' as const, key: 'polymer' as const, text })),
  fc
    .subarray(['alpha', 'bravo', 'charlie', 'unknown'])
    .map((values) => ({ kind: 'values' as const, key: 'polymer' as const, values })),
  fc.subarray(['no', 'yes']).map((values) => ({ kind: 'values' as const, key: 'isFormationStable' as const, values })),
  fc.boolean().map((value) => ({ kind: 'flag' as const, key: 'isFormationStable' as const, value })),
  fc
    .constantFrom('PUBLISHED' as const, 'PENDING' as const)
    .map((status) => ({ kind: 'status' as const, key: 'status' as const, status })),
);
const filters = fc.array(fc.array(condition, { maxLength: 3 }), { minLength: 1, maxLength: 4 });

function holds(row: PlainRow, one: Condition): boolean {
  switch (one.kind) {
    case 'range': {
      const value = one.key === 'voltage' ? row.voltage : row.fiberDiameter;
      return typeof value === 'number' && value >= (one.min ?? -Infinity) && value <= (one.max ?? Infinity);
    }
    case 'text':
      return row.polymer !== undefined && (terms[row.polymer] ?? '').includes(one.text);
    case 'values': {
      const stable = row.stable === undefined ? undefined : row.stable ? 'yes' : 'no';
      const value = one.key === 'polymer' ? row.polymer && terms[row.polymer] : stable;
      return one.values.length === 0 ? value === undefined : value !== undefined && one.values.includes(String(value));
    }
    case 'flag':
      return row.stable === one.value;
    case 'status':
      return one.status === 'PUBLISHED';
  }
}

/** Checks a filter row by row. */
const plainly = (rows: readonly PlainRow[], filter: Filter, revision: number): number[] =>
  validAt(rows, revision)
    .filter((row) => filter.every((one) => holds(row, one)))
    .map(({ rowId }) => rowId);

const found = async (index: IndexAtState, filter: Filter): Promise<number[]> =>
  Array.from(await matchingRows(index, filter), (slot) => index.columns.rowId[slot] ?? 0);

/** A change of one record: a new revision, or its end. */
const edit = fc.record({ recordId: fc.integer({ min: 1, max: 14 }), row: fc.option(drawn) });
const history = fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 });

interface Step {
  added: PlainRow[];
  ended: PlainRow[];
}

/** Replays a history. Returns the final rows, and the rows that each revision adds and ends. */
function play(batches: readonly { recordId: number; row: Drawn | null }[][]): { rows: PlainRow[]; steps: Step[] } {
  const rows: PlainRow[] = [];
  const steps = batches.map((batch, at) => {
    const revision = at + 1;
    const edits = new Map(batch.map(({ recordId, row }) => [recordId, row]));
    const ended = rows.filter((row) => row.validTo === undefined && edits.has(row.recordId));
    for (const row of ended) row.validTo = revision;
    const added = [...edits].flatMap(([recordId, row], at): PlainRow[] =>
      row === null ? [] : [{ ...row, rowId: revision * 100 + at, recordId, validFrom: revision }],
    );
    rows.push(...added);
    return { added: added.toSorted(byRecord), ended };
  });
  return { rows, steps };
}

const withoutEnd = (row: PlainRow): PlainRow => ({ ...row, validTo: undefined });

async function apply(columns: Columns, { added, ended }: Step): Promise<void> {
  await columns.append(newRows(added.map(withoutEnd)));
  for (const row of ended) columns.end(row, row.validTo ?? 0);
}

describe('columns find the same rows as a check of every row', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('at every revision of a history, filled at any revision', async () => {
    await fc.assert(
      fc.asyncProperty(history, filters, fc.nat(6), async (batches, chosenFilters, loaded) => {
        const { rows, steps } = play(batches);
        const first = Math.min(loaded, steps.length);
        const endsAfter = (row: PlainRow): PlainRow => ((row.validTo ?? 0) > first ? withoutEnd(row) : row);
        const columns = await columnsOf(rows.filter(({ validFrom }) => validFrom <= first).map(endsAfter));
        for (const step of steps.slice(first)) {
          await apply(columns, step);
        }
        for (const revision of steps.keys()) {
          for (const filter of chosenFilters) {
            expect(await found(indexAt(columns, revision + 1), filter)).toEqual(plainly(rows, filter, revision + 1));
          }
        }
        expect(columns.valid).toBe(validAt(rows, steps.length).length);
        const slots = rows.map((row) => columns.slotOf(row));
        expect(slots.map((slot) => columns.rowId[slot ?? -1])).toEqual(rows.map(({ rowId }) => rowId));
      }),
      { numRuns: runs(150) },
    );
  });

  test('for readers that started before rows were appended or ended', async () => {
    // Every slice has expired at its first check, so the work is interleaved as finely as possible.
    jest.spyOn(performance, 'now').mockReturnValue(NaN);
    await fc.assert(
      fc.asyncProperty(history, filters, async (batches, chosenFilters) => {
        const { rows, steps } = play(batches);
        const columns = new Columns();
        const readers: Promise<void>[] = [];
        for (const [at, step] of steps.entries()) {
          const revision = at + 1;
          const appending = apply(columns, step);
          for (const earlier of Array.from({ length: at }, (_, one) => one + 1)) {
            for (const filter of chosenFilters) {
              readers.push(
                found(indexAt(columns, earlier), filter).then((rowIds) => {
                  expect([earlier, rowIds]).toEqual([earlier, plainly(rows, filter, earlier)]);
                }),
              );
            }
          }
          await appending;
          expect(columns.valid).toBe(validAt(rows, revision).length);
        }
        await Promise.all(readers);
      }),
      { numRuns: runs(50) },
    );
  });
});

test('an unknown row cannot end', async () => {
  const columns = await columnsOf([{ rowId: 1, recordId: 1, validFrom: 1 }]);
  expect(() => {
    columns.end({ rowId: 2, recordId: 1 }, 2);
  }).toThrow('the index has no row 2 of record 1');
  expect(columns.slotOf({ rowId: 2, recordId: 1 })).toBeUndefined();
  expect(columns.slotOf({ rowId: 1, recordId: 2 })).toBeUndefined();
});

test('the cache distinguishes revisions of the dataset and of the lists', async () => {
  const columns = await columnsOf([
    { rowId: 1, recordId: 1, validFrom: 1, validTo: 3, polymer: 2 },
    { rowId: 2, recordId: 2, validFrom: 2, polymer: 2 },
  ]);
  const index = indexAt(columns, 1);
  const filter: Filter = [{ kind: 'values', key: 'polymer', values: ['alpha'] }];
  const at = (revision: number, lists: number): IndexAtState => ({
    ...index,
    state: { ...index.state, revision },
    references: { ...index.references, revision: lists },
  });
  expect(await found(at(1, 1), filter)).toEqual([1]);
  expect(await found(at(2, 1), filter)).toEqual([1, 2]);
  expect(await found(at(3, 2), filter)).toEqual([2]);
  expect([...index.cache.rows.keys()].map((key) => key.split(' ').slice(0, 2).join(' '))).toEqual(
    expect.arrayContaining(['1 1', '2 1', '3 2']),
  );
});
