import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { messageFaults } from '@esd/testing/language-rules';
import { runs } from '@esd/testing/property-runs';
import { flatten, flattenedColumns } from '../../src/flatten/flatten.ts';
import { decodeText, openText } from '../../src/sheet/decode-text.ts';
import { readSheet, ReadyRows } from '../../src/sheet/read-sheet.ts';
import { parseSheetOptions, type SheetOptions } from '../../src/sheet/sheet-options.ts';
import type { SheetGrid } from '../../src/sheet/sheet-grid.ts';
import type { SheetReading } from '../../src/sheet/sheet-reading.ts';
import type { TableCell } from '../../src/sheet/parse-cell.ts';
import { demoRecords } from '../demo-records.ts';
import { references } from '../seed-lists.ts';
import { gridOf, readTextSheet } from './grids.ts';

const folder = new URL('./sheets/', import.meta.url);

/** The meaning of each sheet for its author. The endpoint and the Python client are tested with it too. */
const expectations = z
  .record(
    z.string(),
    z.strictObject({
      /** The column of each heading; `null` for one that is left out, `?` for one with the state `ask`. */
      columns: z.array(z.string().nullable()),
      rows: z.array(z.enum(['ready', 'error', 'left-out'])),
      values: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
      headingRow: z.int().optional(),
      unitRow: z.int().optional(),
      orientation: z.string().optional(),
      decimalMark: z.string().optional(),
      reasons: z.record(z.string(), z.string()).optional(),
      codes: z.record(z.string(), z.array(z.string())).optional(),
      candidates: z.record(z.string(), z.array(z.string())).optional(),
      repairs: z.array(z.tuple([z.string(), z.string(), z.array(z.string())])).optional(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')));

const readFile = (name: string, options?: SheetOptions): SheetReading =>
  readTextSheet(readFileSync(new URL(name, folder)), options);

test('each sheet of the folder has an expected reading', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  expect(names.length).toBeGreaterThanOrEqual(20);
  expect(Object.keys(expectations).toSorted()).toEqual(names.toSorted());
});

describe.each(Object.entries(expectations))('%s', (name, expected) => {
  const reading = readFile(name);

  test('has the expected columns and rows', () => {
    const { columns, rows, repairs, headingRow, unitRow, orientation, file } = reading;
    expect(columns.map(({ state, reads }) => (state === 'ask' ? '?' : reads))).toEqual(expected.columns);
    expect(rows.map(({ state, errors }) => [state, errors.map(({ message }) => message)])).toEqual(
      expected.rows.map((state) => [state, state === 'error' ? expect.anything() : []]),
    );
    expect([headingRow, unitRow, orientation]).toEqual([
      expected.headingRow ?? 1,
      expected.unitRow ?? null,
      expected.orientation ?? 'rows',
    ]);
    if (expected.decimalMark !== undefined) expect(file.decimalMark).toBe(expected.decimalMark);
    expect(repairs.map(({ kind, at, choices }) => [kind, at, choices])).toEqual(
      expected.repairs ?? (expected.codes === undefined ? [] : expect.anything()),
    );
    for (const [row, reason] of Object.entries(expected.reasons ?? {})) {
      expect(rows.find((one) => one.row === Number(row))?.reason).toBe(reason);
    }
    for (const [row, codes] of Object.entries(expected.codes ?? {})) {
      const errors = rows.find((one) => one.row === Number(row))?.errors ?? [];
      expect(errors.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
    }
    for (const [heading, candidates] of Object.entries(expected.candidates ?? {})) {
      expect(columns.find((one) => one.heading === heading)?.candidates).toEqual(candidates);
    }
  });

  test('has the expected values', () => {
    for (const [row, values] of Object.entries(expected.values)) {
      const item = reading.rows.find((one) => one.row === Number(row))?.item;
      const flat = flatten(1, item ?? {});
      const own = Object.fromEntries(Object.keys(values).map((column) => [column, flat[column] ?? null]));
      expect([row, own]).toEqual([row, values]);
    }
  });
});

test('the messages keep the rules for texts', () => {
  const messages = Object.keys(expectations).flatMap((name) =>
    readFile(name).rows.flatMap(({ errors }) => errors.map(({ message }) => message)),
  );
  expect(messages.flatMap((message) => messageFaults(message).map((fault) => [message, fault]))).toEqual([]);
});

test('at least 90% of the headings are read without a question', () => {
  const columns = Object.keys(expectations).flatMap((name) => readFile(name).columns);
  const share = columns.filter(({ state }) => state !== 'ask').length / columns.length;
  expect(share).toBeGreaterThanOrEqual(0.9);
});

describe('a lab sheet of 13 columns and 4 rows', () => {
  const reading = readFile('01-issue.csv');
  test('has no question about its headings', () => {
    expect(reading.columns).toHaveLength(13);
    expect(reading.columns.filter(({ state }) => state === 'ask')).toEqual([]);
    expect(reading.settled).toBe(true);
    expect(reading.counts).toEqual({ rows: 4, ready: 1, errors: 3, leftOut: 0 });
  });

  test('offers the readings of each other cell', () => {
    // The table of cells has the choices of each kind.
    const asked = reading.rows.flatMap(({ errors }) => errors.map(({ path, kind }) => `${path} ${kind}`));
    expect(asked).toEqual(['F2 range', 'E4 range', 'L4 bound', 'H5 needle']);
    expect(reading.notes.map(({ path, kind }) => `${path} ${kind}`)).toEqual(
      expect.arrayContaining([
        'D2 decimal-comma',
        'E2 approximate',
        'K2 plus-minus',
        'C2 ratio-basis',
        'I3 empty-word',
        'K3 decimal-comma',
      ]),
    );
  });

  test('is ready after the choices', () => {
    const options = parseSheetOptions({ accept: 'range:middle,bound:value,needle:gauge' });
    if ('kind' in options) throw new Error(options.message);
    expect(readFile('01-issue.csv', options).counts).toEqual({ rows: 4, ready: 4, errors: 0, leftOut: 0 });
  });
});

const optionsOf = (texts: Parameters<typeof parseSheetOptions>[0]): SheetOptions => {
  const options = parseSheetOptions(texts);
  if ('kind' in options) throw new Error(options.message);
  return options;
};

describe('the parameters', () => {
  test.each([
    [{ columns: '[]' }, /JSON object/],
    [{ columns: '{"a"' }, /JSON object/],
    [{ columns: '{"a": 1}' }, /JSON object/],
    [{ columns: '{"a": "voltge"}' }, /nearest: voltage\.$/],
    [{ columns: '{"a": "polymer"}' }, /nearest: polymer\(s\)\.$/],
    [{ columns: '{"a": "Flow"}' }, /nearest: flow_rate\.$/],
    [{ accept: 'rnge:low' }, /mark, bracket, range/],
    [{ accept: 'range:lowest' }, /low, middle, high, average, empty/],
    [{ accept: 'range:low,range:high' }, /two choices/],
    [{ include: 'x' }, /numbers of rows/],
  ])('%j is refused', (texts, message) => {
    expect(parseSheetOptions(texts)).toEqual({ kind: 'invalid-option', message: expect.stringMatching(message) });
  });

  test('name headings and rows of the sheet', () => {
    const decoded = [
      ['Polymer', 'Voltage (kV)', 'd (mm)'],
      ['PVA', '15', '0.8'],
    ] as const;
    const read = (texts: Parameters<typeof parseSheetOptions>[0]) =>
      readSheet(gridOf(decoded), file, references, optionsOf(texts));
    expect(read({ columns: '{"Voltag (kV)": null}' })).toMatchObject({
      message: expect.stringContaining('Voltage (kV)'),
    });
    expect(read({ include: '7' })).toMatchObject({ kind: 'invalid-option', message: expect.stringContaining('7') });
    expect(read({ columns: '{"d (mm)": "needle_definition", "Voltage (kV)": null}' })).toMatchObject({
      settled: true,
      rows: [{ item: { needleProperty: { needleDefinition: { size: 0.8, unit: 'mm' } } } }],
      columns: [{}, { state: 'left-out', reads: null }, { state: 'read', reads: 'needle_definition', unit: 'mm' }],
    });
    expect(read({ include: '2' })).toMatchObject({ counts: { ready: 1 } });
  });

  test('read a row that is left out', () => {
    const reading = readFile('06-statistics.csv', optionsOf({ include: '4' }));
    expect(reading.rows.map(({ state }) => state)).toEqual(['ready', 'ready', 'error', 'left-out', 'left-out']);
  });
});

const file = { kind: 'xlsx', sheet: 'Sheet1', sheets: ['Sheet1'] } as const;

describe('merged cells', () => {
  const read = (rows: readonly (readonly TableCell[])[], ...merged: string[]): SheetReading => {
    const reading = readSheet(gridOf(rows, ...merged), file, references);
    if ('kind' in reading) throw new Error(JSON.stringify(reading));
    return reading;
  };
  const rows = [
    ['Polymer', 'Solvent', 'Voltage (kV)'],
    ['PVA', 'Water', 12],
    ['', '', 14],
    ['', '', 16],
  ];

  test('of a column are read for each row', () => {
    const reading = read(rows, 'A2:A4', 'B2:B4');
    expect(reading.counts).toMatchObject({ rows: 3, ready: 3 });
    expect(reading.notes.filter(({ kind }) => kind === 'merged').map(({ path }) => path)).toEqual([
      'Sheet1!A2',
      'Sheet1!B2',
      'Sheet1!A3',
      'Sheet1!B3',
      'Sheet1!A4',
      'Sheet1!B4',
    ]);
  });

  test('of a row are an error at the range', () => {
    expect(read([...rows, ['PVA', '', 18]], 'A2:A4', 'B2:B4', 'A5:B5').rows.at(-1)).toMatchObject({
      state: 'error',
      errors: expect.arrayContaining([expect.objectContaining({ path: 'Sheet1!A5:B5', code: 'INVALID_FORMAT' })]),
    });
  });

  test('beyond the sheet cost nothing', () => {
    const many = Array.from({ length: 10_000 }, () => 'A2:A1048576');
    expect(read(rows, ...many, 'B2:B4').counts.ready).toBe(3);
  });

  test('above the headings are titles of groups', () => {
    const reading = read(
      [
        ['Solution', '', 'Needle', '', 'Fiber', ''],
        ['Polymer', 'Conc. (wt%)', 'Type', 'Diameter', 'Diameter', 'SD'],
        ['PVA', 8, 'blunt', '0.8 mm', 240, 30],
      ],
      'A1:B1',
      'C1:D1',
      'E1:F1',
    );
    expect(reading.columns.map(({ reads }) => reads)).toEqual([
      'polymer(s)',
      'solution_concentration',
      'needle_type',
      'needle_definition',
      'fiber_diameter',
      'fiber_diameter_variation',
    ]);
  });
});

test('shares that do not match their names are one error', () => {
  const rows = [
    ['Polymer', 'Polymer ratio', 'Voltage (kV)'],
    ['PVA/PEO', '1:2:3', 12],
    ['PVA/PEO', 'one to two', 12],
  ];
  expect(readSheet(gridOf(rows), file, references)).toMatchObject({
    errorCount: 2,
    rows: [
      { errors: [{ path: 'Sheet1!B2', code: 'INVALID_FORMAT' }] },
      { errors: [{ path: 'Sheet1!B3', code: 'INVALID_FORMAT' }] },
    ],
  });
});

test('a row with a number alone is no experiment', () => {
  const rows = [
    ['No.', 'Polymer', 'Voltage (kV)'],
    [1, 'PVA', 12],
    [2, '', ''],
  ];
  expect(readSheet(gridOf(rows), file, references)).toMatchObject({
    counts: { rows: 2, ready: 1, errors: 0, leftOut: 1 },
    rows: [{}, { state: 'left-out', reason: 'text' }],
  });
});

describe('two columns for one field', () => {
  const rows = [
    ['Polymer', 'Voltage (kV)', 'U (kV)'],
    ['PVA', 12, 14],
  ];
  const states = (texts: Parameters<typeof parseSheetOptions>[0]) => {
    const reading = readSheet(gridOf(rows), file, references, optionsOf(texts));
    return 'kind' in reading
      ? reading
      : reading.columns.slice(1).map(({ state, candidates }) => [state, ...candidates]);
  };

  test('are both asked', () => {
    expect(states({})).toEqual([
      ['ask', 'voltage'],
      ['ask', 'voltage'],
    ]);
  });

  test('are settled by the choice of one, or by leaving one out', () => {
    expect(states({ columns: '{"U (kV)": "voltage"}' })).toEqual([['ask', 'voltage'], ['read']]);
    expect(states({ columns: '{"U (kV)": null}' })).toEqual([['read'], ['left-out']]);
  });
});

test('a row with one cell in a column that is read is an error', () => {
  const rows = [
    ['Polymer', 'Voltage (kV)', 'Comment'],
    ['PVA', 12, ''],
    ['', 14, ''],
    ['', '', 'broken'],
  ];
  expect(readSheet(gridOf(rows), file, references)).toMatchObject({
    rows: [{ state: 'ready' }, { state: 'error' }, { state: 'left-out', reason: 'text' }],
  });
});

test.each([
  [['kV', 'cm', '[°C]', '-'], 2],
  [['-', '-', '-', 'Foo'], null],
  // N is the newton, but the row names a polymer.
  [['n', '', '', 'PVA'], null],
  [['kV', 'cm', '25', '-'], null],
])('the row %j below the headings has the number %p as a unit row', (row, unitRow) => {
  const rows = [['Stable', 'Distance', 'Temperature', 'Polymer'], row, ['y', 15, 25, 'PVA']];
  expect(readSheet(gridOf(rows), file, references)).toMatchObject({ unitRow });
});

test('the title of another group gives a heading no meaning', () => {
  const rows = [
    ['Solution', 'Collector', '', 'Process', ''],
    ['Polymer', 'Type', 'Diameter', 'Voltage (kV)', 'Time (min)'],
    ['PVA', 'drum', 100, 12, 30],
  ];
  expect(readSheet(gridOf(rows, 'B1:C1', 'D1:E1'), file, references)).toMatchObject({
    columns: [
      { reads: 'polymer(s)' },
      { reads: 'collector_type' },
      { state: 'ask', candidates: ['fiber_diameter'] },
      { reads: 'voltage' },
      { reads: 'spinning_duration' },
    ],
  });
});

test('a name that is missing below another can be filled down', () => {
  const rows = [
    ['Polymer', 'Solvent', 'Voltage (kV)'],
    ['PVA', 'Water', 12],
    ['', '', 14],
  ];
  const open = readSheet(gridOf(rows), file, references);
  expect(open).toMatchObject({
    counts: { ready: 1, errors: 1 },
    repairs: [
      { kind: 'blank-name', at: 'A', cells: ['A3'], choices: ['fill-down'] },
      { kind: 'blank-name', at: 'B', cells: ['B3'], choices: ['fill-down'] },
    ],
  });
  const filled = readSheet(gridOf(rows), file, references, optionsOf({ accept: 'blank-name:fill-down' }));
  expect(filled).toMatchObject({ counts: { ready: 2, errors: 0 } });
});

/** Returns the sheet with another cell. All other rows are the same objects. */
function withCell({ rows, merged }: SheetGrid, at: number, column: number, text: string): SheetGrid {
  const changed = rows.map((row, index) =>
    index === at ? { ...row, cells: new Map([...row.cells, [column, text] as const]) } : row,
  );
  return { rows: changed, merged };
}

test('rows that are reused from earlier readings do not change a reading', () => {
  const pools = [
    ['Comment', 'note', 'example', 'mean'],
    ['Polymer', 'PVA', 'PAN', ''],
    ['Solvent', 'Water', 'DMF/Water 3:1', ''],
    ['Voltage (kV)', '12', '1,5', '1,234', '10-12'],
    ['Mean diameter (nm)', '240 ± 30', '240 nm', 'n.a.'],
  ] as const;
  const row = fc.tuple(...pools.map(([, ...texts]) => fc.constantFrom(...texts)));
  const edit = fc.oneof(
    { weight: 4, arbitrary: fc.record({ at: fc.integer({ min: 1, max: 5 }), column: fc.nat(4), pick: fc.nat(2) }) },
    fc.record({ heading: fc.constantFrom('Voltage (kV)', 'Voltage (V)', 'Distance (cm)') }),
    fc.record({ accept: fc.constantFrom('', 'range:low,blank-name:fill-down', 'blank-name:fill-down') }),
    fc.record({ include: fc.constantFrom('', '3', '2,3') }),
    fc.record({ merged: fc.constantFrom([], [{ fromRow: 2, toRow: 4, fromColumn: 1, toColumn: 1 }]) }),
  );
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 3, maxLength: 5 }),
      fc.array(edit, { minLength: 5, maxLength: 15 }),
      (body, edits) => {
        const earlier = new ReadyRows();
        let grid = gridOf([pools.map(([heading]) => heading), ...body]);
        const texts = { accept: 'blank-name:fill-down', include: '2,3' };
        for (const one of edits) {
          if ('at' in one) {
            grid = withCell(grid, one.at, one.column, pools[one.column]?.[1 + one.pick] ?? '');
          } else if ('heading' in one) grid = withCell(grid, 0, 3, one.heading);
          else if ('merged' in one) grid = { ...grid, merged: one.merged };
          else Object.assign(texts, one);
          const options = optionsOf(Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')));
          const reading = readSheet(grid, file, references, options, earlier);
          expect(reading).toEqual(readSheet(grid, file, references, options));
        }
      },
    ),
    { numRuns: runs(200) },
  );
});

test('the rows of the dataset are read as by their column names', () => {
  const records = demoRecords.slice(0, 1_000);
  const rows = records.map((data, at) => {
    const row = flatten(at + 1, data);
    return flattenedColumns.map((column) => row[column] ?? '');
  });
  const reading = readSheet(gridOf([[...flattenedColumns], ...rows]), file, references);
  if ('kind' in reading) throw new Error('refused');
  expect(reading.rows.flatMap(({ errors }) => errors)).toEqual([]);
  expect(reading.rows.map(({ item }) => item)).toEqual(records.map((data, at) => ({ recordId: at + 1, ...data })));
});

test('a sheet without headings or with more than 1,000 rows is refused', () => {
  expect(
    readSheet(
      gridOf([
        ['a', 'b'],
        [1, 2],
      ]),
      file,
      references,
    ),
  ).toMatchObject({
    kind: 'refused',
    problems: [{ path: 'Sheet1!1:1', code: 'NO_HEADING_ROW' }],
  });
  const rows = Array.from({ length: 1_001 }, () => ['PVA', 8]);
  expect(readSheet(gridOf([['Polymer', 'Conc. (wt%)'], ...rows]), file, references)).toMatchObject({
    kind: 'refused',
    problems: [{ path: 'Sheet1!1002:1002', code: 'TOO_MANY_RECORDS' }],
  });
});

test('at most 1,000 problems are listed, and all are counted', () => {
  const rows = Array.from({ length: 1_000 }, () => ['PVA', 'high', 'high']);
  const reading = readSheet(gridOf([['Polymer', 'Voltage (kV)', 'Temp (°C)'], ...rows]), file, references);
  if ('kind' in reading) throw new Error('refused');
  expect(reading.errorCount).toBe(2_000);
  expect(reading.rows.flatMap(({ errors }) => errors)).toHaveLength(1_000);
  expect(reading.counts).toMatchObject({ errors: 1_000 });
});

describe('a text file', () => {
  test.each<[string, Uint8Array, string | undefined]>([
    ['UTF-8', new TextEncoder().encode('µ'), 'utf-8'],
    ['UTF-8 with a byte order mark', new TextEncoder().encode('\uFEFFµ'), 'utf-8'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0xb5, 0]), 'utf-16'],
    ['UTF-16, big-endian', new Uint8Array([0xfe, 0xff, 0, 0xb5]), 'utf-16'],
    ['Windows-1252', new Uint8Array([0xb5]), 'windows-1252'],
    ['other bytes', new Uint8Array([0xb5, 0x01]), undefined],
    ['NUL', new Uint8Array([0x41, 0]), undefined],
  ])('in %s', (_, bytes, encoding) => {
    const decoded = decodeText(bytes);
    expect(decoded?.encoding).toBe(encoding);
    if (decoded !== undefined) expect(decoded.text).toBe('µ');
  });

  test.each([
    ['a;b\n1,5;2', ';'],
    ['a,b\n"1;5",2', ','],
    ['a\tb\n1,5\t2', '\t'],
    ['a\n1', ','],
    ['sep=\t\na;b', '\t'],
    ['title\n\na;b;c\n1,5;2;3\n1,5;2;3', ';'],
  ])('%j is separated by %j', (text, separator) => {
    expect(openText(text).separator).toBe(separator);
  });
});
