import { describe, expect, test } from '@jest/globals';
import type { Percentiles } from '../../src/sheet/assume-units.ts';
import type { TableCell } from '../../src/sheet/parse-cell.ts';
import { readSheet, ReadyRows } from '../../src/sheet/read-sheet.ts';
import { type OptionTexts, parseSheetOptions } from '../../src/sheet/sheet-options.ts';
import { references } from '../seed-lists.ts';
import { gridOf } from './grids.ts';

const file = { kind: 'csv', sheet: null, sheets: [] } as const;
const percentiles: Percentiles = { fiberDiameter: [80, 3_000], voltage: [5, 30], temp: [20, 30] };

function outcomeOf(rows: readonly (readonly TableCell[])[], texts: OptionTexts = {}, usual: Percentiles = percentiles) {
  const options = parseSheetOptions(texts);
  if ('kind' in options) return options;
  return readSheet(gridOf(rows), file, references, options, new ReadyRows(), usual);
}

/** Reads a column with a polymer next to it. */
function readColumn(heading: string, cells: readonly TableCell[], texts?: OptionTexts, usual?: Percentiles) {
  const outcome = outcomeOf([['Polymer', heading], ...cells.map((cell) => ['PVA', cell])], texts, usual);
  if ('kind' in outcome) throw new Error(JSON.stringify(outcome));
  const { columns, notes, rows, settled } = outcome;
  const { state, reads, unit, candidates, choices, reason } = columns[1] ?? {};
  return { state, reads, unit, candidates, choices, reason, notes, rows, settled };
}

describe('numbers without a unit', () => {
  test('are read in the default unit, with a note', () => {
    const read = readColumn('Fiber diameter', [240, 250]);
    expect(read).toMatchObject({ state: 'read', unit: null, choices: [] });
    expect(read.notes).toEqual([{ path: 'B1', kind: 'assumed-unit', text: 'Fiber diameter', reads: 'nm' }]);
  });

  test('have no note if their cells, heading, or unit column have the unit', () => {
    expect(readColumn('Fiber diameter', ['240 nm', '0.25 µm']).notes).toEqual([]);
    expect(readColumn('Fiber diameter (nm)', [240]).notes).toEqual([]);
    expect(
      outcomeOf([
        ['Polymer', 'voltage', 'voltage_unit'],
        ['PVA', 15, 'kV'],
      ]),
    ).toMatchObject({ notes: [], settled: true });
  });

  test.each<[string, TableCell[], string]>([
    ['fiber diameter', [0.45, 0.5, 240], 'nm'],
    ['Fiber diameter', ['0,45', '~0.5', '0.4 ± 0.1'], 'nm'],
    ['voltage', [15_000, 15], 'kV'],
    ['Temp', [1.9], '°C'],
  ])('under %s, of which half are unusual, ask for the unit: %j', (heading, cells, unit) => {
    const { state, choices, reason, settled } = readColumn(heading, cells);
    expect([state, settled, reason]).toEqual(['ask', false, `the values are unusual in ${unit}`]);
    expect(choices?.[0]).toBe(unit);
    expect(readColumn(heading, cells, {}, {}).state).toBe('read');
  });

  test.each<[string, TableCell[]]>([
    ['Fiber diameter', [8, 30_000, 240]],
    ['Fiber diameter', [0.45, 240, 250]],
    ['Fiber diameter', ['0.45 µm', 240]],
    ['Fiber diameter (µm)', [0.45]],
    ['Temp', [2, 300]],
  ])('under %s, of which less than half are unusual, are read: %j', (heading, cells) => {
    expect(readColumn(heading, cells).state).toBe('read');
  });

  test('of a statistic do not count', () => {
    const rows = [
      ['Polymer', 'RH'],
      ['PVA', 0.4],
      ['Mittelwert', 45],
    ];
    expect(outcomeOf(rows)).toMatchObject({ columns: [{}, { state: 'ask' }] });
  });
});

describe('a percentage without a unit', () => {
  test.each(['Porosity', 'RH', 'Elongation'])('asks if all values of %s are at most 1', (heading) => {
    expect(readColumn(heading, [0.45, 1, 0])).toMatchObject({
      state: 'ask',
      candidates: [expect.any(String)],
      choices: ['percent', 'fraction'],
    });
  });

  test('offers wt% for a concentration', () => {
    expect(readColumn('Conc.', [0.08]).choices).toEqual(['percent', 'fraction', 'wt%']);
  });

  test('is read if all values are 0 or 1, or one is above 1', () => {
    expect(readColumn('Porosity', [0, 1]).state).toBe('read');
    expect(readColumn('Porosity', [0.5, 45]).state).toBe('read');
    expect(readColumn('Porosity (%)', [0.5]).state).toBe('read');
  });

  test.each([
    ['percent', '%'],
    ['fraction', 'fraction'],
  ])('is read with the choice %s', (choice, unit) => {
    const { rows, settled } = readColumn('Porosity', [0.45], { units: JSON.stringify({ Porosity: choice }) });
    expect(settled).toBe(true);
    expect(rows[0]?.item?.functionalProperty).toEqual({ porosity: 0.45, porosityUnit: unit });
  });
});

describe('a standard deviation without a unit', () => {
  const variationOf = (headings: readonly string[], cells: readonly TableCell[]) => {
    const outcome = outcomeOf([
      ['Polymer', ...headings],
      ['PVA', ...cells],
    ]);
    if ('kind' in outcome) throw new Error(JSON.stringify(outcome));
    const { fiberDiameterVariation: value, fiberDiameterVariationUnit: unit } =
      outcome.rows[0]?.item?.fiberProperty ?? {};
    const notes = outcome.notes.filter(({ kind }) => kind === 'unit-of-diameter');
    return {
      columns: outcome.columns,
      read: `${value} ${unit}`,
      notes: notes.map(({ text, reads }) => `${text} → ${reads}`),
    };
  };

  test.each<[string[], TableCell[], string]>([
    [['Diameter (µm)', 'SD'], [0.45, '0,03'], '0.03 µm'],
    [['SD', 'Diameter (µm)'], [0.03, 0.45], '0.03 µm'],
    [['Diameter', 'Std dev'], ['0.45 µm', 0.03], '0.03 µm'],
    [['Diameter', '±'], [240, 30], '30 nm'],
    [['Diameter (nm)', 'SD'], ['n.a.', 30], '30 nm'],
    [['fiber_diameter', 'fiber_diameter_unit', 'SD'], [0.45, 'µm', 0.03], '0.03 µm'],
  ])('takes that of the diameter: %j %j', (headings, cells, expected) => {
    const columns = headings.map((heading) => (heading === '±' ? 'Diameter SD' : heading));
    const { read, notes } = variationOf(columns, cells);
    expect(read).toBe(expected);
    expect(notes).toEqual([expect.stringMatching(` → ${expected}$`)]);
  });

  test('keeps a unit of its own', () => {
    expect(variationOf(['Diameter (nm)', 'SD (%)'], [240, 12])).toMatchObject({ read: '12 %', notes: [] });
    expect(variationOf(['Diameter (nm)', 'SD'], [240, '12 %'])).toMatchObject({ read: '12 %', notes: [] });
  });

  test('asks if no diameter is read', () => {
    expect(variationOf(['Voltage (kV)', 'SD'], [15, 30]).columns[2]).toMatchObject({
      state: 'ask',
      candidates: ['fiber_diameter_variation'],
      choices: expect.arrayContaining(['percent', 'nm']),
    });
    // The column of the diameter asks for its unit.
    expect(variationOf(['Diameter', 'SD'], [0.45, 0.03]).columns[2]).toMatchObject({ state: 'ask' });
  });
});

describe('units', () => {
  const rows = [
    ['Polymer', 'Feed (drops/min)', 'Fiber  diameter'],
    ['PVA', 0.5, 0.45],
  ];

  test('settle the columns that ask, by heading or letter', () => {
    expect(outcomeOf(rows)).toMatchObject({ settled: false });
    expect(outcomeOf(rows, { units: '{"Feed (drops/min)": "mL·h⁻¹", "@C": "µm"}' })).toMatchObject({
      settled: true,
      columns: [{}, { reads: 'flow_rate', unit: 'mL/h' }, { reads: 'fiber_diameter', unit: 'µm' }],
      notes: [{ path: 'B1', kind: 'heading-words', text: 'drops/min', reads: '' }],
    });
  });

  test('have precedence over the heading, but not over a cell', () => {
    const ofHeading = [
      ['Polymer', 'Voltage (kV)'],
      ['PVA', '15'],
      ['PVA', '15 kV'],
    ];
    const outcome = outcomeOf(ofHeading, { units: '{"Voltage (kV)": "V"}' });
    expect(outcome).toMatchObject({
      rows: [
        { item: { processParameter: { voltage: 15, voltageUnit: 'V' } } },
        { item: { processParameter: { voltage: 15, voltageUnit: 'kV' } } },
      ],
    });
  });

  test.each([
    [{ units: '[]' }, /JSON object/],
    [{ units: '{"Feed (drops/min)": 1}' }, /JSON object/],
    [{ units: '{"Feed": "mL/h"}' }, /unknown heading "Feed"; nearest: "Feed \(drops\/min\)"/],
    [{ units: '{"@Z": "mL/h"}' }, /unknown heading "@Z"/],
    [{ units: '{"@B": "foo"}' }, /not in the unit list; choose from mL\/h/],
    [{ units: '{"@B": "cm"}' }, /does not fit its field; choose from mL\/h/],
    [{ units: '{"Polymer": "cm"}' }, /does not fit its field; choose a unit of the unit list/],
  ])('%j are refused', (texts, message) => {
    expect(outcomeOf(rows, texts)).toMatchObject({ kind: 'invalid-option', message: expect.stringMatching(message) });
  });
});

describe('a row below the headings', () => {
  const headings = ['Polymer', 'Fiber diameter', 'Flow rate', 'Voltage'];
  const values = ['PVA', 240, 0.5, 15];

  test.each<[TableCell[], number | null]>([
    [['', 'nm', 'drops/min', 'kV'], 2],
    [['', '[foo]', 'drops/min', '(bar/baz)'], 2],
    [['Unit', '', 'foo', ''], 2],
    [['', 'nm', 'foo', 'fast'], null],
    [['PVA', 'nm', 'mL/h', 'kV'], null],
    [['', 'nm', 'drops/min', 15], null],
    [['PVA/PEO', '240/30', 'n/a', 'n/a'], null],
  ])('%j has the number %p as a unit row', (row, unitRow) => {
    expect(outcomeOf([headings, row, values])).toMatchObject({ unitRow });
  });

  test('asks for each unit in it that is unknown, and the other columns keep theirs', () => {
    expect(outcomeOf([headings, ['', 'nm', 'drops/min', 'kV'], values])).toMatchObject({
      columns: [
        { state: 'read' },
        { state: 'read', unit: 'nm' },
        { state: 'ask', candidates: ['flow_rate'], reason: expect.stringContaining('drops/min') },
        { state: 'read', unit: 'kV' },
      ],
    });
  });

  test('gives no unit to a heading that has its own', () => {
    expect(
      outcomeOf([
        ['Polymer', 'Flow (mL/h)', 'Voltage'],
        ['', 'foo/min', 'kV'],
        ['PVA', 1, 15],
      ]),
    ).toMatchObject({
      columns: [{}, { state: 'read', unit: 'mL/h' }, { unit: 'kV' }],
      notes: [],
    });
  });
});
