import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { messageFaults } from '@esd/testing/language-rules';
import { runs } from '@esd/testing/property-runs';
import type { TableCell } from '../../src/sheet/parse-cell.ts';
import { readSheet } from '../../src/sheet/read-sheet.ts';
import { type OptionTexts, parseSheetOptions } from '../../src/sheet/sheet-options.ts';
import type { SheetReading } from '../../src/sheet/sheet-reading.ts';
import { references } from '../seed-lists.ts';
import { gridOf } from './grids.ts';

type Cells = readonly (readonly TableCell[])[];

const file = { kind: 'xlsx', sheet: 'Runs', sheets: ['Runs'] } as const;

function outcomeOf(rows: Cells, texts: OptionTexts = {}) {
  const options = parseSheetOptions(texts);
  return 'kind' in options ? options : readSheet(gridOf(rows), file, references, options);
}
function read(rows: Cells, texts?: OptionTexts): SheetReading {
  const outcome = outcomeOf(rows, texts);
  if ('kind' in outcome) throw new Error(JSON.stringify(outcome));
  return outcome;
}
/** Returns the state or the reason of each row by its number. */
const states = ({ rows }: SheetReading) => Object.fromEntries(rows.map((row) => [row.row, row.reason ?? row.state]));

const FIRST = [
  ['Polymer', 'Voltage (kV)', 'Comment'],
  ['PVA', 12, ''],
  ['PVA', 15, 'second'],
];
const SECOND = [
  ['Polymer', 'Conc. (wt%)', 'Distance (cm)', 'Fiber diameter'],
  ['', '%', 'cm', 'nm'],
  ['PAN', 18, 15, 240],
];
const TWO = [...FIRST, [], ...SECOND];

describe('a sheet with two tables', () => {
  test('is read from the first one, although the second has more headings', () => {
    const reading = read(TWO);
    expect(reading).toMatchObject({
      headingRow: 1,
      unitRow: null,
      tables: [
        { headingRow: 1, rows: 2 },
        { headingRow: 5, rows: 1 },
      ],
      counts: { rows: 5, ready: 2, errors: 0, leftOut: 3 },
    });
    expect(reading.columns.map(({ at, reads }) => [at, reads])).toEqual([
      ['A', 'polymer(s)'],
      ['B', 'voltage'],
      ['C', null],
    ]);
    expect(states(reading)).toEqual({ 2: 'ready', 3: 'ready', 5: 'other-table', 6: 'other-table', 7: 'other-table' });
  });

  test('is read from the second one, with its own columns and units', () => {
    const reading = read(TWO, { table: '2' });
    expect(reading).toMatchObject({
      headingRow: 5,
      unitRow: 6,
      tables: read(TWO).tables,
      counts: { rows: 5, ready: 1, errors: 0, leftOut: 4 },
      rows: [
        {},
        {},
        {},
        {},
        { item: { solutionProperty: { concentration: 18 }, fiberProperty: { fiberDiameter: 240 } } },
      ],
    });
    expect(reading.columns.map(({ reads }) => reads)).toEqual([
      'polymer(s)',
      'solution_concentration',
      'tip_collector_distance',
      'fiber_diameter',
    ]);
    expect(states(reading)).toEqual({
      2: 'other-table',
      3: 'other-table',
      5: 'repeated-heading',
      6: 'units',
      7: 'ready',
    });
  });

  test('is one table if the row of the second headings is included', () => {
    const reading = read(TWO, { include: '5' });
    expect(reading.tables).toEqual([{ headingRow: 1, rows: 5 }]);
    expect(states(reading)).toMatchObject({ 5: 'error', 6: 'units' });
  });

  test('can be turned', () => {
    const turned = [0, 1, 2, 3, 4, 5].map((column) => {
      const cells = [
        ['Polymer', 'PVA', 'PVA', '', 'Polymer', 'PAN'],
        ['Voltage (kV)', 12, 15, '', 'Distance (cm)', 15],
        ['Conc. (wt%)', 8, 9, '', 'Fiber diameter (nm)', 240],
      ];
      return cells.map((row) => row[column] ?? '');
    });
    expect(read(turned).tables).toEqual([
      { headingRow: 1, rows: 2 },
      { headingRow: 5, rows: 1 },
    ]);
    const columns = turned[0]?.map((_, at) => turned.map((row) => row[at] ?? ''));
    expect(read(columns ?? [], { table: '2' })).toMatchObject({
      orientation: 'columns',
      headingRow: 5,
      rows: [{}, {}, {}, { item: { fiberProperty: { fiberDiameter: 240 } } }],
    });
  });
});

test.each<[name: string, rows: Cells, tables: readonly (readonly [headingRow: number, rows: number])[]]>([
  ['repeated headings', [...FIRST, FIRST[0] ?? [], ['PVA', 18]], [[1, 4]]],
  ['some of the headings again', [...FIRST, ['Polymer', 'Voltage (kV)'], ['PVA', 18]], [[1, 4]]],
  ['one heading below data', [...FIRST, ['Polymer', 'x', 'y'], ['PVA', 18]], [[1, 4]]],
  ['fewer than half of the cells', [...FIRST, ['Polymer', 'Distance', 'x', 'y', 'z'], ['PVA', 18]], [[1, 4]]],
  [
    'exactly half of the cells',
    [...FIRST, ['Polymer', 'Distance', 'x', 'y'], ['PVA', 18]],
    [
      [1, 2],
      [4, 1],
    ],
  ],
  ['units below data', [...FIRST, ['wt%', 'rpm'], ['PVA', 18]], [[1, 4]]],
  [
    'headings in another order',
    [...FIRST, ['Voltage (kV)', 'Polymer'], [18, 'PVA']],
    [
      [1, 2],
      [4, 1],
    ],
  ],
  [
    'titles above the second headings',
    [...FIRST, ['Needle', 'Collector'], ...SECOND],
    [
      [1, 3],
      [5, 1],
    ],
  ],
  ['headings without data above', [FIRST[0] ?? [], ['Distance', 'Gap'], ['PVA', 18]], [[1, 2]]],
  [
    'three tables',
    [...TWO, ['Solvent', 'Voltage (kV)'], ['Water', 1]],
    [
      [1, 2],
      [5, 1],
      [8, 1],
    ],
  ],
  [
    'equal first headings of many tables',
    Array.from({ length: 5 }, (_, at) => [
      ['Polymer', ['Voltage', 'Distance'][at % 2] ?? ''],
      ['PVA', 1],
    ]).flat(),
    [
      [1, 1],
      [3, 1],
      [5, 1],
      [7, 1],
      [9, 1],
    ],
  ],
  [
    'lines of a title above the headings',
    [['Polymer', 'PAN', 'Solvent', 'DMF'], ['Temp (°C)', 22, 'Operator', 'Smith'], [], ...SECOND],
    [[4, 1]],
  ],
  ['titles of groups above the headings', [['Needle', 'Collector'], ...SECOND], [[2, 1]]],
])('%s: the tables are found', (_, rows, tables) => {
  expect(read(rows).tables.map(({ headingRow, rows: count }) => [headingRow, count])).toEqual(tables);
});

test('every row below the first headings is listed, whichever table is read', () => {
  const row = fc.array(
    fc.constantFrom<TableCell>('Polymer', 'Voltage (kV)', 'Distance', 'Comment', 'PVA', 'kV', 'x', 12, ''),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (body) => {
      const rows = [...FIRST, ...body];
      const first = read(rows);
      fc.pre(first.orientation === 'rows');
      const filled = gridOf(rows).rows.filter(({ number, cells }) => number > 1 && cells.size > 0);
      expect(first.rows.map(({ row: number }) => number)).toEqual(filled.map(({ number }) => number));
      for (const [at, table] of first.tables.entries()) {
        const reading = read(rows, { table: String(at + 1) });
        expect([reading.headingRow, reading.tables, reading.counts.rows]).toEqual([
          table.headingRow,
          first.tables,
          first.counts.rows,
        ]);
        const own = reading.rows.filter(({ reason }) => reason !== 'other-table');
        const end = first.tables[at + 1]?.headingRow ?? Infinity;
        expect(own.every((one) => one.row >= table.headingRow && one.row < end)).toBe(true);
      }
    }),
    { numRuns: runs(200) },
  );
});

describe('a heading row that the user chooses', () => {
  const rows = [
    ['a', 'b', ''],
    ['c', 'd', ''],
    ['PVA', 12, 300],
  ];

  test('needs no known heading, and its columns are assigned by position', () => {
    expect(read(rows, { headingRow: '2' })).toMatchObject({
      headingRow: 2,
      settled: false,
      columns: [{ at: 'A', heading: 'c', state: 'ask' }, { state: 'ask' }, { at: 'C', heading: '', state: 'ask' }],
    });
    const columns = '{"@A": "polymer(s)", "d": "voltage", "@C": "fiber_diameter"}';
    expect(read(rows, { headingRow: '2', columns })).toMatchObject({
      settled: true,
      rows: [{ state: 'ready', item: { processParameter: { voltage: 12 }, fiberProperty: { fiberDiameter: 300 } } }],
    });
  });

  test('has precedence over headings that are found, also over those in a column', () => {
    expect(read(TWO, { headingRow: '5' })).toMatchObject({ headingRow: 5, tables: [{ headingRow: 5, rows: 1 }] });
    const turned = [
      ['Polymer', 'PVA'],
      ['Voltage (kV)', 12],
      ['Distance (cm)', 15],
    ];
    expect(read(turned, { headingRow: '1' })).toMatchObject({ orientation: 'rows', headingRow: 1 });
  });

  test('a position has precedence over a heading, and null leaves the column out', () => {
    const { columns } = read(FIRST, { columns: '{"Comment": "doi", "@C": null, "@B": "fiber_diameter"}' });
    expect(columns.map(({ state, reads }) => [state, reads])).toEqual([
      ['read', 'polymer(s)'],
      ['read', 'fiber_diameter'],
      ['left-out', null],
    ]);
  });
});

test('an excluded row is left out', () => {
  const reading = read(FIRST, { exclude: '3' });
  expect(states(reading)).toEqual({ 2: 'ready', 3: 'excluded' });
  expect(reading.counts).toEqual({ rows: 2, ready: 1, errors: 0, leftOut: 1 });
});

test.each<[OptionTexts, RegExp]>([
  [{ table: '0' }, /`table` is 0, .*2\.$/],
  [{ table: '3' }, /`table` is 3, .*2\.$/],
  [{ headingRow: '4' }, /`headingRow` is 4/],
  [{ headingRow: 'x' }, /`headingRow` is NaN/],
  [{ exclude: '1' }, /`exclude` has 1/],
  [{ exclude: 'x' }, /`exclude` must contain numbers/],
  [{ exclude: '2,3', include: '3' }, /both have row 3/],
  [{ columns: '{"@Z": "voltage"}' }, /unknown heading "@Z"; nearest: "@A"/],
])('%j is refused', (texts, message) => {
  const outcome = outcomeOf(TWO, texts);
  expect(outcome).toEqual({ kind: 'invalid-option', message: expect.stringMatching(message) });
});

describe('a sheet without a heading row', () => {
  test('is refused with its first rows', () => {
    const date = { kind: 'date', unreadable: 'The cell contains the date 2024-01-02.' } as const;
    const rows: Cells = [
      ['Our runs'],
      [],
      ['', 'x'.repeat(80), date],
      ...Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => 1)),
    ];
    const outcome = outcomeOf(rows);
    if (!('problems' in outcome)) throw new Error('The sheet is read.');
    expect(outcome).toMatchObject({ kind: 'refused', problems: [{ path: 'Runs!1:1', code: 'NO_HEADING_ROW' }] });
    const shown = outcome.problems[0]?.rows ?? [];
    expect(shown.slice(0, 2)).toEqual([
      { row: 1, cells: ['Our runs'] },
      { row: 3, cells: ['', `${'x'.repeat(59)}…`, '#VALUE! The cell contains the date 2024-01-02.'] },
    ]);
    expect([shown.length, shown.at(-1)?.cells.length]).toEqual([20, 30]);
    expect(outcome.problems.flatMap(({ message }) => messageFaults(message))).toEqual([]);
  });

  test('or with a hidden one is refused, unless the user chooses it', () => {
    const grid = gridOf(FIRST);
    const hidden = { ...grid, rows: grid.rows.map((row, at) => ({ ...row, isHidden: at === 0 })) };
    const outcome = readSheet(hidden, file, references);
    expect(outcome).toMatchObject({
      kind: 'refused',
      problems: [{ path: 'Runs!1:1', code: 'HIDDEN_HEADING_ROW', rows: [{ row: 1 }, { row: 2 }, { row: 3 }] }],
    });
    const options = parseSheetOptions({ headingRow: '1' });
    if ('kind' in options) throw new Error(options.message);
    expect(readSheet(hidden, file, references, options)).toMatchObject({ counts: { ready: 2 } });
  });
});
