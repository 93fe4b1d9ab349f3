import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { references } from '../../../../libs/record/test/seed-lists.ts';
import { readTextSheet } from '../../../../libs/record/test/sheet/grids.ts';
import { checkSheet, type CheckedSheet, columnAt } from '../../src/contribute/check-sheet.ts';
import { choiceName } from '../../src/contribute/heading-choices.ts';
import {
  openSheet,
  openTable,
  pastedCells,
  readPasted,
  readTextFile,
  readWorkbook,
} from '../../src/contribute/open-sheet.ts';
import type { ReferenceData } from '../../src/contribute/reference-data.ts';
import {
  joinTables,
  replacedRows,
  type Sheet,
  type SheetSource,
  withAccepted,
  withColumn,
  withoutReplacement,
  withoutRows,
  withReplacement,
  withRow,
  withTable,
  withTexts,
} from '../../src/contribute/sheet.ts';

const ranges = new Map([
  [
    '=PVA',
    {
      voltage: { count: 141, min: 5, max: 50 },
      variation: { count: 37, min: 7.6923076923076925, max: 21 },
    },
  ],
]);
const referenceData: ReferenceData = { references, ranges, counts: {} };

function opened(source: SheetSource, choices: ReadonlyMap<string, string | null> = new Map()): Sheet {
  const sheet = openSheet(source, references, choices);
  if (typeof sheet === 'string') throw new Error(sheet);
  return sheet;
}
const read = (...lines: string[]): Sheet => opened(readPasted(lines.join('\n'), 'x'));
function checked(sheet: Sheet): CheckedSheet {
  const found = checkSheet(sheet, referenceData);
  if (found === undefined) throw new Error('The sheet has no headings.');
  return found;
}
const statesOf = (sheet: Sheet) => checked(sheet).rows.map(({ row, state }) => [row.number, state]);
const columnsOf = (sheet: Sheet) => checked(sheet).columns.map(({ heading, state, reads }) => [heading, state, reads]);

describe('a sheet', () => {
  test('with a record id has a warning that it becomes a new record', () => {
    const { rows } = checked(read('experiment_id\tPolymer', '1\tPVA'));
    expect(rows[0]?.errors).toEqual([]);
    expect(rows[0]?.warnings).toContainEqual(expect.objectContaining({ text: expect.stringContaining('new record') }));
  });

  test('has no ready row until every heading is assigned or left out', () => {
    const sheet = read('Polymer\td (mm)\tVoltage (kV)', 'PVA\t0.4\t15');
    expect(columnsOf(sheet)[1]).toEqual(['d (mm)', 'ask', null]);
    expect([checked(sheet).ready.length, checked(sheet).reading.counts.ready]).toEqual([0, 1]);
    const chosen = withColumn(sheet, 'B', 'needle_definition');
    expect(columnsOf(chosen)[1]).toEqual(['d (mm)', 'read', 'needle_definition']);
    expect(checked(chosen).ready[0]?.item).toMatchObject({ needleProperty: { needleDefinition: { size: 0.4 } } });
    expect(columnsOf(withColumn(sheet, 'B', null))[1]).toEqual(['d (mm)', 'left-out', null]);
  });

  test('takes the choices for headings of earlier sheets, until they are changed', () => {
    const source = readPasted('Polymer\td (mm)\tVoltage (kV)\nPVA\t0.4\t15', 'x');
    const sheet = opened(
      source,
      new Map([
        ['d (mm)', 'fiber_diameter'],
        ['Other', null],
      ]),
    );
    expect(columnsOf(sheet)[1]).toEqual(['d (mm)', 'read', 'fiber_diameter']);
    expect([...sheet.remembered]).toEqual(['@B']);
    expect([...withColumn(sheet, 'B', null).remembered]).toEqual([]);
  });

  test('lets the user assign a column without a heading', () => {
    const sheet = read('Polymer\tVoltage (kV)\t', 'PVA\t15\t300');
    expect(columnsOf(sheet)[2]).toEqual(['', 'ask', null]);
    const chosen = checked(withColumn(sheet, 'C', 'fiber_diameter'));
    expect(chosen.ready[0]?.item?.fiberProperty).toEqual({ fiberDiameter: 300 });
  });

  test('of an earlier draft keeps the choices for its headings', () => {
    const draft = read('Polymer\td (mm)\tVoltage (kV)', 'PVA\t0.4\t15');
    const chosen = { ...draft, columns: new Map([['d (mm)', 'needle_definition']]) };
    expect(columnsOf(chosen)[1]).toEqual(['d (mm)', 'read', 'needle_definition']);
    expect(statesOf(withRow(chosen, 2, false))).toEqual([[2, 'left-out']]);
  });

  test('with equal headings lets the user choose for each', () => {
    const sheet = read('Polymer\tVoltage\tVoltage', 'PVA\t15\t20');
    expect(columnsOf(sheet)).toEqual([
      ['Polymer', 'read', 'polymer(s)'],
      ['Voltage', 'ask', null],
      ['Voltage', 'ask', null],
    ]);
    const chosen = checked(withColumn(sheet, 'C', null));
    expect(chosen.ready[0]?.item?.processParameter).toEqual({ voltage: 15 });
    const { columns } = checked(sheet);
    expect(columns.map((column) => choiceName(column, columns))).toEqual(['Polymer', 'Voltage', 'Voltage (2)']);
    const next = opened(sheet, new Map([['Voltage (2)', null]]));
    expect(checked(next).ready[0]?.item?.processParameter).toEqual({ voltage: 15 });
  });

  test('offers the readings of a column, and takes the chosen one until it is undone', () => {
    const sheet = read('Polymer\tVoltage (kV)\tFlow rate (mL/h)', 'PVA\t10–12\t1-2', 'PVA\t14-18\t1');
    expect(checked(sheet).reading.repairs).toMatchObject([
      { kind: 'range', at: 'B', cells: ['B2', 'B3'] },
      { kind: 'range', at: 'C', cells: ['C2'] },
    ]);
    const reading = { kind: 'range', at: 'B', choices: ['low', 'middle', 'high', 'empty'] } as const;
    const chosen = withAccepted(sheet, 'range B', reading, 'high');
    expect(checked(chosen).reading.repairs.map(({ at }) => at)).toEqual(['C']);
    expect(checked(chosen).rows[1]?.item?.processParameter?.voltage).toBe(18);
    expect(checked(withAccepted(chosen, 'range B', reading, undefined)).reading.repairs.length).toBe(2);
  });

  test('leaves out rows that are no experiments, unless they are included', () => {
    const sheet = read('Polymer\tSolvent\tVoltage (kV)', 'PVA\twater\t15', 'mean\t\t15');
    expect(statesOf(sheet)).toEqual([
      [2, 'ready'],
      [3, 'left-out'],
    ]);
    expect(statesOf(withRow(sheet, 3, true))[1]).toEqual([3, 'error']);
    expect(statesOf(withRow(withRow(sheet, 3, true), 3, false))[1]).toEqual([3, 'left-out']);
    const without = withRow(sheet, 2, false);
    expect(checked(without).rows[0]).toMatchObject({ state: 'left-out', reason: 'excluded' });
    expect(statesOf(withRow(without, 2, true))).toEqual(statesOf(sheet));
  });

  test('has the notes of each row', () => {
    const { rows } = checked(read('Polymer\tVoltage (kV)', 'PVA\t~15', 'PVA\t16'));
    expect(rows.map(({ notes }) => notes)).toEqual([
      [{ path: 'B2', kind: 'approximate', text: '~15', reads: '15 kV' }],
      [],
    ]);
  });

  test('has the errors and their choices at the cell, and warnings outside the range of its polymer', () => {
    const { rows } = checked(read('Polymer\tVoltage (kV)', 'PVAA\t15', 'PVA\t150', 'PVA\tlots'));
    expect(rows[0]?.errors).toMatchObject([{ column: 0, near: { cell: 'PVAA' } }]);
    expect(rows[0]?.errors[0]?.near?.choices.length).toBeGreaterThan(0);
    expect(rows[1]?.warnings).toEqual([{ column: 1, text: 'Higher than all 141 experiments with PVA (5–50 kV).' }]);
    const variation = checked(read('Polymer\tDiameter (nm)\tSD (%)', 'PVA\t300\t30')).rows[0]?.warnings;
    expect(variation).toEqual([{ column: 2, text: 'Higher than all 37 experiments with PVA (7.692–21 %).' }]);
    expect(rows[2]?.errors.map(({ column, text }) => [column, text.startsWith('`')])).toEqual([[1, false]]);
  });

  test('whose experiments are columns is turned', () => {
    const sheet = read('Polymer\tPVA\tPAN', 'Solvent\twater\tDMF', 'Voltage (kV)\t15\t16', 'Flow rate (mL/h)\t1\t2');
    expect(sheet.isTransposed).toBe(true);
    expect(statesOf(sheet)).toEqual([
      [2, 'ready'],
      [3, 'ready'],
    ]);
  });

  test('with more rows than a request can have is cut', () => {
    const sheet = read('Polymer\tVoltage', ...Array.from({ length: 1_003 }, () => 'PVA\t15'));
    expect([checked(sheet).rows.length, sheet.isCut]).toEqual([1_000, true]);
  });

  test('without headings is shown, and the user chooses its heading row', () => {
    const sheet = read('Runs', 'a\tb', 'PVA\t15');
    expect(checkSheet(sheet, referenceData)).toBeUndefined();
    const chosen = openTable(
      withTable(sheet, { headingRow: 2, table: undefined }),
      references,
      new Map([['b', 'voltage']]),
    );
    expect(columnsOf(chosen)).toEqual([
      ['a', 'ask', null],
      ['b', 'read', 'voltage'],
    ]);
    expect(checked(withColumn(chosen, 'A', 'polymer(s)')).ready.length).toBe(1);
  });

  test.each([
    ['', /empty/],
    ['\n\n', /empty/],
    ['Polymer\tVoltage (kV)\n', /no experiments/],
  ])('%j is refused', (text, message) => {
    expect(openSheet(readPasted(text, 'x'), references, new Map())).toMatch(message);
  });

  test('with any content is read, refused with a sentence, or rejected with UnreadableSheet', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(fc.oneof(fc.string(), fc.constantFrom('Polymer', 'PVA', '10-12', 'mean')), { maxLength: 4 }),
          {
            maxLength: 5,
          },
        ),
        fc.constantFrom('\t', ',', ';'),
        (rows, separator) => {
          const text =
            ['Polymer', 'Voltage (kV)'].join(separator) + '\n' + rows.map((cells) => cells.join(separator)).join('\n');
          let sheet: Sheet | string;
          try {
            sheet = openSheet(readPasted(text, 'x'), references, new Map());
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableSheet);
            return;
          }
          if (typeof sheet === 'string') return;
          // Without headings, the user chooses their row.
          for (const { item, state, errors } of checkSheet(sheet, referenceData)?.rows ?? []) {
            expect(item === null).toBe(state !== 'ready');
            expect(errors.length > 0).toBe(state === 'error');
          }
        },
      ),
      { examples: [[[[';']], ',']] },
    );
  });
});

/** The sheets for which the service and the Python client are tested too. */
const folder = new URL('../../../../libs/record/test/sheet/sheets/', import.meta.url);

test.each(readdirSync(folder).filter((name) => name.endsWith('.csv')))('%s has the reading of the service', (name) => {
  const bytes = readFileSync(new URL(name, folder));
  const source = readTextFile(bytes, name);
  if (source === undefined) throw new Error(`${name} is no text.`);
  const reading = readTextSheet(bytes);
  const page = checked(opened(source));
  expect(page.columns.map(({ state, reads }) => [state, reads])).toEqual(
    reading.columns.map(({ state, reads }) => [state, reads]),
  );
  // The page shows the rows of one table.
  expect(page.rows.map(({ row, state, item }) => [row.number, state, item])).toEqual(
    reading.rows.flatMap(({ row, state, item, reason }) => (reason === 'other-table' ? [] : [[row, state, item]])),
  );
  expect(page.reading.notes.map(({ kind, reads }) => [kind, reads])).toEqual(
    reading.notes.map(({ kind, reads }) => [kind, reads]),
  );
});

describe('a file', () => {
  test('of text is read in its encoding, with its separator', () => {
    const bytes = Buffer.from('\uFEFFPolymer;Voltage (kV)\r\nPVA;12,5\r\n', 'utf16le');
    const sheet = readTextFile(bytes, 'x.csv');
    expect(sheet).toMatchObject({
      file: { encoding: 'utf-16', separator: ';' },
      rows: [{ number: 1 }, { number: 2, cells: ['PVA', '12,5'] }],
    });
    expect(readTextFile(new Uint8Array([0xd0, 0xcf, 0, 1]), 'x.xls')).toBeUndefined();
  });

  test('of a workbook keeps its numbers', () => {
    const sheet = opened(
      readWorkbook(
        {
          file: { kind: 'xlsx', sheet: 'Runs', sheets: ['Runs'] },
          rows: [
            { number: 1, cells: ['Polymer', 'Voltage (kV)'] },
            { number: 2, cells: ['PVA', 1.234] },
            { number: 3, cells: ['PVA', '1.234'] },
            { number: 4, cells: ['PVA', '#VALUE! The cell contains the date 2024-01-02.'] },
          ],
          merged: ['A1:A2'],
        },
        'x.xlsx',
      ),
    );
    expect(sheet.merged).toEqual([{ fromRow: 1, toRow: 2, fromColumn: 0, toColumn: 0 }]);
    expect(statesOf(sheet).map(([, state]) => state)).toEqual(['ready', 'error', 'error']);
    expect(checked(sheet).rows[2]?.errors[0]?.text).toMatch(/date/);
  });
});

describe('cells', () => {
  const sheet = read('Polymer\tVoltage\tDistance', 'PVA\t15\t10', 'PAN\t20\t12');

  test('are replaced, and rows are added', () => {
    const texts = pastedCells('16\t11\r\n\r\n17');
    expect(texts).toEqual([['16', '11'], [''], ['17']]);
    const after = withTexts(sheet, [2, 3, 4], [1, 2], texts);
    expect(after.rows.slice(1)).toEqual([
      { number: 2, cells: ['PVA', '16', '11'] },
      { number: 3, cells: ['PAN', '', '12'] },
      { number: 4, cells: ['', '17'] },
    ]);
    expect(after.rows[0]).toBe(sheet.rows[0]);
    expect(sheet.rows[1]?.cells).toEqual(['PVA', '15', '10']);
  });

  test('with ditto marks side by side stay in their columns, and quoted texts lose their quotes', () => {
    expect(pastedCells('"\t"\t12\r\n15\t"\r\n"\t\t"dry\tair"\n"a ""b"""\t"')).toEqual([
      ['"', '"', '12'],
      ['15', '"'],
      ['"', '', 'dry\tair'],
      ['a "b"', '"'],
    ]);
  });

  test('with a replaced text get it back, unless they changed again', () => {
    const three = read('Polymer\tVoltage', 'PVAA\t15', 'PVAA\t16', 'PAN\t17');
    const replaced = withReplacement(three, { column: 0, before: 'PVAA', after: 'PVA', rows: [2, 3] });
    const polymers = (one: Sheet) => one.rows.slice(1).map(({ cells }) => cells[0]);
    expect(polymers(replaced)).toEqual(['PVA', 'PVA', 'PAN']);
    const [replacement] = replaced.replaced;
    if (replacement === undefined) throw new Error('The replacement is not stored.');
    const changed = withTexts(replaced, [3], [0], [['PEO']]);
    expect(replacedRows(changed, replacement)).toEqual([2]);
    const undone = withoutReplacement(changed, replacement);
    expect([polymers(undone), undone.replaced]).toEqual([['PVAA', 'PEO', 'PAN'], []]);
  });

  test.each([
    ['A', 0],
    ['AB12', 27],
    ['B3:D3', 1],
    ['4:4', -1],
  ])('%j is in the column %d', (address, column) => {
    expect(columnAt(address)).toBe(column);
  });
});

describe('rows that were sent', () => {
  const sheet = read('Polymer\tSolvent\tVoltage', 'PVA\twater\t15', 'PVA\twater\tx', 'mean\t\t15');
  const before = checked(sheet);
  const rowAt = (at: number) => before.rows.slice(at, at + 1).map(({ row }) => row);

  test('leave the sheet; the others stay', () => {
    expect(withoutRows(sheet, rowAt(0), before)?.rows.map(({ number }) => number)).toEqual([1, 3, 4]);
  });

  test('leave no sheet if only rows that are left out remain', () => {
    expect(withoutRows(sheet, [...rowAt(0), ...rowAt(1)], before)).toBeUndefined();
  });

  test('stay if they changed while they were sent', () => {
    const changed = withTexts(sheet, [2], [2], [['16']]);
    expect(withoutRows(changed, rowAt(0), before)?.rows.length).toBe(4);
  });

  describe('of a sheet with three tables', () => {
    const three = withColumn(
      read(
        'Title',
        ...['Polymer\tVoltage', 'PVA\t15', 'mean\t15'],
        ...['Polymer\tDistance', '\tcm', 'PAN\t12', 'PAN\t13'],
        ...['Solvent\tPolymer', 'DMF\tPAN'],
      ),
      'B',
      'voltage',
    );
    /** Sends the ready rows of the shown table. */
    const afterSending = (one: Sheet, count = Infinity): Sheet | undefined => {
      const shown = checked(one);
      return withoutRows(
        one,
        shown.ready.slice(0, count).map(({ row }) => row),
        shown,
      );
    };
    const shownBy = (one: Sheet | undefined) =>
      one && [
        checked(one).reading.headingRow,
        checked(one).reading.tables.length,
        checked(one).rows.map(({ row }) => row.number),
      ];

    test('lead to the next table, which has its own choices', () => {
      expect(shownBy(three)).toEqual([2, 3, [3, 4]]);
      const next = afterSending(three);
      expect(shownBy(next)).toEqual([5, 2, [7, 8]]);
      expect(next?.columns.size).toBe(0);
      const last = next && afterSending(next);
      expect(shownBy(last)).toEqual([9, 1, [10]]);
      expect(last && afterSending(last)).toBeUndefined();
    });

    test('stay with their table while it has other rows', () => {
      const second = withTable(three, { headingRow: undefined, table: 2 });
      expect(shownBy(second)).toEqual([5, 3, [7, 8]]);
      expect(shownBy(afterSending(second, 1))).toEqual([5, 3, [8]]);
      expect(shownBy(afterSending(second))).toEqual([9, 2, [10]]);
      const third = withTable(three, { headingRow: undefined, table: 3 });
      expect(shownBy(afterSending(third))).toEqual([5, 2, [7, 8]]);
    });

    test('are of one table if the user joins them', () => {
      const joined = joinTables(three, checked(three).reading.tables);
      expect(shownBy(joined)).toEqual([2, 1, [3, 4, 5, 6, 7, 8, 9, 10]]);
    });

    test('keep the rows that the user left out', () => {
      const shown = withTable(withRow(three, 7, false), { headingRow: undefined, table: 2 });
      expect(statesOf(shown)).toEqual([
        [7, 'left-out'],
        [8, 'ready'],
      ]);
    });
  });
});
