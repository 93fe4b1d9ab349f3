import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { type LogPosition, newestRows } from '../../src/explore/newest-rows.ts';
import { columnsOf, type PlainRow, indexAt, validAt } from '../read-index/plain-rows.ts';

/** Rows with up to three revisions of each record; a dataset revision publishes several records. */
const logs = fc
  .array(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 }), { maxLength: 30 })
  .map((records) => {
    const rows: PlainRow[] = [];
    for (const [at, revisions] of records.entries()) {
      const starts = [...new Set(revisions)].sort((a, b) => a - b);
      for (const [index, validFrom] of starts.entries()) {
        rows.push({ rowId: rows.length + 1, recordId: at + 1, validFrom, validTo: starts[index + 1] });
      }
    }
    return rows;
  });

const isBefore = ({ validFrom, recordId }: PlainRow, { revision, recordId: below = 0 }: LogPosition): boolean =>
  validFrom < revision || (validFrom === revision && recordId < below);

test('rows come newest first, each once, whatever the size of the pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      logs,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 7 }),
      async (log, revision, limit) => {
        const index = indexAt(await columnsOf(log), revision);
        const { columns } = index;
        const expected = validAt(log, revision)
          .sort((a, b) => b.validFrom - a.validFrom || b.recordId - a.recordId)
          .map(({ rowId }) => rowId);
        const found: number[] = [];
        let before: LogPosition = { revision: Number.MAX_SAFE_INTEGER };
        for (;;) {
          const { total, rows, hasMore } = await newestRows(index, [], before, limit);
          expect(total).toBe(expected.length);
          expect(rows.length).toBe(Math.min(limit, expected.length - found.length));
          found.push(...Array.from(rows, (slot) => columns.rowId[slot] ?? 0));
          expect(hasMore).toBe(found.length < expected.length);
          const last = rows.at(-1);
          if (!hasMore || last === undefined) break;
          before = { revision: columns.validFrom[last] ?? 0, recordId: columns.recordId[last] };
        }
        expect(found).toEqual(expected);
      },
    ),
    { numRuns: runs(100) },
  );
});

test('a position without a record excludes its whole dataset revision', async () => {
  await fc.assert(
    fc.asyncProperty(logs, fc.integer({ min: 1, max: 9 }), async (log, revision) => {
      const index = indexAt(await columnsOf(log), 8);
      const { rows } = await newestRows(index, [], { revision }, 1_000);
      const expected = validAt(log, 8).filter((row) => isBefore(row, { revision }));
      expect(rows.length).toBe(expected.length);
    }),
    { numRuns: runs(50) },
  );
});
