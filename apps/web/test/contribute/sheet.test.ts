import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { flatten } from '@esd/record/flatten/flatten';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { demoRecords } from '../../../../libs/record/test/demo-records.ts';
import { references } from '../../../../libs/record/test/seed-lists.ts';
import type { ReferenceData } from '../../src/contribute/reference-data.ts';
import {
  checkColumns,
  checkRow,
  isEmptyRow,
  pasteCells,
  readSheet,
  type Sheet,
  withCell,
  withColumn,
} from '../../src/contribute/sheet.ts';

const ranges = new Map([['=PVA', { voltage: { count: 141, min: 5, max: 50 } }]]);
const referenceData: ReferenceData = { references, ranges, counts: {} };
const read = (...lines: string[]): Sheet => readSheet(lines.join('\n'), 'x', references);
const checked = (sheet: Sheet) => sheet.rows.map((row) => checkRow(sheet, row, referenceData));
const HEADINGS =
  'Polymer\tSolvent\tConcentration (wt%)\tVoltage [kV]\tDistance, cm\tFlow rate\tStable\tDiameter\tNeedle';

describe('a sheet', () => {
  test('is read by the headings that people use, with their units', () => {
    const sheet = read(HEADINGS, 'polyvinylidene fluoride\tDMF\t15\t18\t12.5\t1 mL/h\tyes\t218\t22 G');
    expect(sheet.columns.map(({ column }) => column)).toEqual([
      'polymer(s)',
      'solvent(s)',
      'solution_concentration',
      'voltage',
      'tip_collector_distance',
      'flow_rate',
      'was_formation_stable',
      'fiber_diameter',
      'needle_definition',
    ]);
    const [row] = checked(sheet);
    expect(row).toEqual({
      errors: [],
      warnings: [],
      item: {
        polymerProperty: { polymerComponents: [{ polymerName: 'PVDF' }] },
        solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
        solutionProperty: { concentration: 15, concentrationUnit: 'wt%' },
        processParameter: {
          voltage: 18,
          voltageUnit: 'kV',
          flowRate: 1,
          flowRateUnit: 'mL/h',
          tipCollectorDistance: 12.5,
          tipCollectorDistanceUnit: 'cm',
        },
        needleProperty: { needleDefinition: { size: 22, unit: 'G' } },
        fiberProperty: { isFormationStable: true, fiberDiameter: 218 },
      },
    });
  });

  test('is read by the columns of the template, without changing the records of the dataset', () => {
    const columns = [...new Set(demoRecords.slice(0, 50).flatMap((record) => Object.keys(flatten(1, record))))];
    const lines = demoRecords.slice(0, 50).map((record) => {
      const row = flatten(1, record);
      return columns.map((column) => `"${String(row[column] ?? '').replaceAll('"', '""')}"`).join(',');
    });
    const sheet = read(columns.map((column) => `"${column}"`).join(','), ...lines);
    for (const [at, row] of checked(sheet).entries()) {
      expect(row.errors).toEqual([]);
      expect(row.item).toEqual({ recordId: 1, ...demoRecords[at] });
      expect(row.warnings).toEqual([expect.objectContaining({ text: expect.stringContaining('new record') })]);
    }
  });

  test.each<[heading: string, cell: string, text: string | RegExp]>([
    ['Polymer', 'PVDF-HF', /^“PVDF-HF” is not in the list\. Did you mean PVDF_HFP/],
    ['Polymer', '', 'Name the polymer'],
    ['Distance (cm)', '12,5', '“12,5”: use a decimal point (12.5)'],
    ['Distance', '-2', 'Enter a number greater than 0'],
    ['Flow rate', 'cm/h', '“cm/h”: enter a number such as 12.5'],
    ['Flow rate', '3 cm', '“cm” is not a unit of flow rate. Use mL/h or µL/min.'],
    ['flow_rate_unit', 'cm', '“cm” is not a unit of flow rate. Use mL/h or µL/min.'],
    ['Stable', 'maybe', /true, false/],
    ['Temperature', '#VALUE! The cell holds a date.', /^The cell holds a date/],
  ])('under %s has an error in %j', (heading, cell, text) => {
    const isPolymer = heading === 'Polymer';
    const sheet = read(
      isPolymer ? 'Polymer\tVoltage' : `${heading}\tPolymer`,
      isPolymer ? `${cell}\t15` : `${cell}\tPVA`,
    );
    expect(checked(sheet)).toEqual([
      {
        item: undefined,
        warnings: [],
        errors: [{ column: 0, text: typeof text === 'string' ? text : expect.stringMatching(text) }],
      },
    ]);
  });

  test('has a warning for a value outside the range of its polymer', () => {
    const [row, other] = checked(read('Polymer\tVoltage (V)', 'PVA\t150000', 'PAN\t150000'));
    expect(other).toMatchObject({ errors: [], warnings: [] });
    expect(row).toMatchObject({
      errors: [],
      warnings: [{ column: 1, text: 'Higher than all 141 experiments with PVA (5–50 kV).' }],
    });
  });

  test('reports unknown and duplicate headings until they are chosen or left out', () => {
    const sheet = read('Polymer\tVoltag\tmy note\tVoltage\tvoltage_kv\t', 'PVA\t15\tgood\t16\t1\tx');
    expect(checkColumns(sheet)).toEqual([
      {
        column: 1,
        text: '“Voltag” is not a known column. Did you mean Voltage? Choose what it contains, or leave it out.',
      },
      { column: 2, text: expect.stringContaining('“my note” is not a known column.') },
      { column: 5, text: expect.stringContaining('no heading') },
    ]);
    const chosen = withColumn(withColumn(withColumn(sheet, 1, 'voltage'), 2, null), 5, null);
    expect(checkColumns(chosen)).toEqual([{ column: 3, text: 'Two columns contain Voltage. Leave one out.' }]);
    const fixed = withColumn(chosen, 3, null);
    expect(checkColumns(fixed)).toEqual([]);
    expect(checked(fixed)[0]?.item?.processParameter).toEqual({ voltage: 15 });
  });

  test('changes when a cell is edited or cells are pasted', () => {
    const sheet = read('Polymer\tVoltage', 'PVAX\t15', 'PVA\t12,5');
    const fixed = withCell(sheet, 0, 0, 'PVA');
    expect(checked(fixed).map(({ errors }) => errors.length)).toEqual([0, 1]);
    const pasted = pasteCells(fixed, 1, 1, '16\n17\n18,5\tlost');
    expect(pasted.rows.map(({ number, cells }) => [number, ...cells])).toEqual([
      [2, 'PVA', '15'],
      [3, 'PVA', '16'],
      [4, '', '17'],
      [5, '', '18,5'],
    ]);
  });

  test('from the clipboard may have commas, quotes, and line breaks in its cells', () => {
    const sheet = read('Polymer\tTitle', 'PVA\t"Fibers, ""fine""', 'and long"', '', 'PVA\tb');
    expect(sheet.rows.map(({ number, cells }) => [number, ...cells])).toEqual([
      [2, 'PVA', 'Fibers, "fine"\nand long'],
      [4, 'PVA', 'b'],
    ]);
    expect(isEmptyRow(sheet, { number: 9, cells: [] })).toBe(true);
  });

  test('with more rows than a request can have is cut, and the number of dropped rows is reported', () => {
    const sheet = read('Polymer', ...Array.from({ length: 1_003 }, () => 'PVA'));
    expect([sheet.rows.length, sheet.cut]).toEqual([1_000, 3]);
  });

  test('with any content is read, or rejected with UnreadableSheet', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string(), { maxLength: 4 }), { maxLength: 5 }),
        fc.constantFrom('\t', ',', ';'),
        (rows, separator) => {
          const text = rows.map((cells) => cells.join(separator)).join('\n');
          let sheet: Sheet;
          try {
            sheet = readSheet(text, 'x', references);
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableSheet);
            return;
          }
          checkColumns(sheet);
          for (const row of sheet.rows) {
            const { item, errors } = checkRow(sheet, row, referenceData);
            expect(item === undefined).toBe(errors.length > 0);
          }
        },
      ),
    );
  });
});

describe('reading', () => {
  const cells = (text: string): (readonly string[])[] => readSheet(text, 'x', references).rows.map((row) => row.cells);

  test.each([
    ['Polymer,Voltage\r\nPVA,15\r\n', [['PVA', '15']]],
    ['Polymer;Voltage\nPVA;15', [['PVA', '15']]],
    ['\uFEFF"Distance, cm",Polymer\n15,PVA', [['15', 'PVA']]],
    ['Title, short, or long\tPolymer\nx\tPVA', [['x', 'PVA']]],
    ['Polymer\tVoltage\r\nPVA\t15', [['PVA', '15']]],
    ['Polymer,Voltage\nPVA', [['PVA', '']]],
    ['Polymer\nPVA,15', [['PVA', '15']]],
    ['Polymer,Voltage\n , \nPVA,15', [['PVA', '15']]],
    ['Polymer,Voltage\n PVA , 15 ', [['PVA', '15']]],
    ['Polymer\tTitle\nPVA\ta, b; c', [['PVA', 'a, b; c']]],
  ])('%j returns the cells %j', (text, expected) => {
    expect(cells(text)).toEqual(expected);
  });

  test.each(['', '\n\n', ' \t \n'])('%j returns an empty sheet', (text) => {
    expect(readSheet(text, 'x', references)).toEqual({ name: 'x', columns: [], rows: [], cut: 0 });
  });

  test('numbers the rows as a spreadsheet does, empty ones included', () => {
    expect(read('Polymer', 'PVA', '', 'PAN').rows.map(({ number }) => number)).toEqual([2, 4]);
  });
});

describe('pasting', () => {
  const sheet = read('Polymer\tVoltage\tDistance', 'PVA\t15\t10', 'PAN\t20\t12');
  const paste = (row: number, column: number, text: string) =>
    pasteCells(sheet, row, column, text).rows.map(({ number, cells }) => [number, ...cells]);

  test.each([
    ['a single cell', 0, 1, '16', [[2, 'PVA', '16', '10']]],
    ['cells next to each other', 0, 1, '16\t11', [[2, 'PVA', '16', '11']]],
    ['quoted cells with tabs and line breaks', 0, 0, '"a\tb\nc"\t16', [[2, 'a\tb\nc', '16', '10']]],
    ['a cell with an empty one', 0, 0, '\t16', [[2, '', '16', '10']]],
    ['cells beyond the last column, which are dropped', 0, 2, '11\t12\t13', [[2, 'PVA', '15', '11']]],
  ])('replaces %s', (_, row, column, text, [changed]) => {
    expect(paste(row, column, text)).toEqual([changed, [3, 'PAN', '20', '12']]);
  });

  test.each(['16\n21', '16\r\n21'])('%j fills the rows below', (text) => {
    expect(paste(0, 1, text)).toEqual([
      [2, 'PVA', '16', '10'],
      [3, 'PAN', '21', '12'],
    ]);
  });

  test('adds rows with the next numbers', () => {
    expect(paste(1, 0, 'PCL\nPLA\nPEO')).toEqual([
      [2, 'PVA', '15', '10'],
      [3, 'PCL', '20', '12'],
      [4, 'PLA', '', ''],
      [5, 'PEO', '', ''],
    ]);
  });

  test('stops at the maximum number of rows in a request', () => {
    const text = Array.from({ length: 1_200 }, () => 'PVA').join('\n');
    expect(pasteCells(sheet, 0, 0, text).rows.length).toBe(1_000);
  });

  test('leaves the other rows and the previous sheet unchanged', () => {
    const after = pasteCells(sheet, 1, 0, 'PCL');
    expect(after.rows[0]).toBe(sheet.rows[0]);
    expect(sheet.rows[1]?.cells).toEqual(['PAN', '20', '12']);
  });
});

describe('a column', () => {
  test('that is left out is not read', () => {
    const sheet = read('Polymer\tVoltage', 'PVA\t12,5');
    expect(checked(sheet)[0]?.errors.length).toBe(1);
    expect(checked(withColumn(sheet, 1, null))[0]).toMatchObject({
      errors: [],
      item: { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } },
    });
  });

  test('that is left out does not fill a row', () => {
    const sheet = withColumn(read('note\tPolymer', 'x\t'), 0, null);
    expect(sheet.rows.map((row) => isEmptyRow(sheet, row))).toEqual([true]);
  });

  test('that is read twice counts once, the first time', () => {
    const [row] = checked(read('Polymer\tVoltage\tVoltage', 'PVA\t15\t20'));
    expect(row?.item?.processParameter).toEqual({ voltage: 15 });
  });
});
