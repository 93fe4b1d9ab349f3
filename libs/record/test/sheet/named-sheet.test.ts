import { describe, expect, test } from '@jest/globals';
import { messageFaults } from '@esd/testing/language-rules';
import { flatten, flattenedColumns } from '../../src/flatten/flatten.ts';
import { normalizedColumns } from '../../src/flatten/normalized-columns.ts';
import type { TableCell } from '../../src/sheet/parse-cell.ts';
import { readNamedSheet } from '../../src/sheet/read-named-sheet.ts';
import { indexReferences } from '../../src/reference/reference.ts';
import type { References } from '../../src/reference/reference.ts';
import { splitJoinedNames } from '../../src/reference/split-joined-names.ts';
import { demoRecords } from '../demo-records.ts';
import { references, seedLists } from '../seed-lists.ts';
import { gridOf } from './grids.ts';

function parse(header: TableCell[], ...rows: (TableCell | undefined)[][]) {
  return parseBy(references, header, ...rows);
}

/** Reads a sheet; an invalid or empty row gives undefined. */
function parseBy(references: References, header: TableCell[], ...rows: (TableCell | undefined)[][]) {
  const { records, problems } = readNamedSheet(gridOf([header, ...rows]), undefined, references);
  const items = rows.map((_, at) => records.find(({ row }) => row === at + 2)?.item);
  return { items, problems: problems.problems.map(({ path, code, message }) => [path, code, message]) };
}

test('columns of normalized values are ignored', () => {
  const { items, problems } = parse(
    ['voltage', 'voltage_unit', ...normalizedColumns],
    [12_000, 'V', ...normalizedColumns.map((_, at) => at)],
  );
  expect(problems).toEqual([]);
  expect(items).toEqual([{ processParameter: { voltage: 12_000, voltageUnit: 'V' } }]);
});

test('parsing the rows of the demo gives its records', () => {
  const rows = demoRecords.map((data, i) => {
    const row = flatten(i + 1, data);
    return flattenedColumns.map((column) => row[column]);
  });
  const { items, problems } = parse([...flattenedColumns], ...rows);
  expect(problems).toEqual([]);
  expect(items).toEqual(demoRecords.map((data, i) => ({ recordId: i + 1, ...data })));
});

describe('a value', () => {
  const one = (column: string, cell: TableCell, ...others: [string, TableCell][]) =>
    parse([column, ...others.map(([name]) => name)], [cell, ...others.map(([, value]) => value)]);
  const process = (members: object) => ({ items: [{ processParameter: members }], problems: [] });

  test.each<[TableCell, object]>([
    [15, { voltage: 15 }],
    ['15', { voltage: 15 }],
    [' 1.5e3 ', { voltage: 1500 }],
    ['15 kV', { voltage: 15, voltageUnit: 'kV' }],
    ['15kv', { voltage: 15, voltageUnit: 'kV' }],
    ['-.5 V', { voltage: -0.5, voltageUnit: 'V' }],
  ])('%p is a voltage', (cell, members) => {
    expect(one('voltage', cell)).toEqual(process(members));
  });

  test('that is physically impossible is an error of its cell', () => {
    const message = '`humidity`: The value 240 % RH is physically impossible; expected 0 to 100 %.';
    expect(parse(['humidity_unit', 'humidity'], ['% RH', 240])).toEqual({
      items: [undefined],
      problems: [['B2', 'IMPOSSIBLE_VALUE', message]],
    });
  });

  test('may repeat the unit of its unit column', () => {
    expect(one('flow_rate', '2 ml/h', ['flow_rate_unit', 'mL/h'])).toEqual(
      process({ flowRate: 2, flowRateUnit: 'mL/h' }),
    );
    expect(one('voltage', '2 V', ['voltage_unit', 'kV'])).toEqual({
      items: [undefined],
      problems: [
        [
          'A2',
          'CONFLICTING_MEMBERS',
          '`voltage`: The value "2 V" contradicts "kV" in `voltage_unit`; write only the number here.',
        ],
      ],
    });
  });

  test.each<[column: string, cell: TableCell, code: string, message: RegExp]>([
    ['voltage', '12,5', 'WRONG_TYPE', /^`voltage`: The number "12,5" has a comma; .* as in 12\.5,/],
    ['voltage', '1,200 V', 'WRONG_TYPE', /comma/],
    ['voltage', '10-15', 'WRONG_TYPE', /Expected one number, .* got "10-15"/],
    ['voltage', '10 ± 1 kV', 'WRONG_TYPE', /Expected one number/],
    ['voltage', '1 000', 'WRONG_TYPE', /Expected one number/],
    ['voltage', 'high', 'WRONG_TYPE', /Expected one number, .* got "high"/],
    ['voltage', true, 'WRONG_TYPE', /Expected one number, .* got true/],
    [
      'voltage',
      { kind: 'date', unreadable: 'The cell holds a date.' },
      'WRONG_TYPE',
      /^`voltage`: The cell holds a date\.$/,
    ],
    ['voltage', '15 kVV', 'UNKNOWN_UNIT', /^`voltage`: Unknown unit "kVV"; nearest: "kV"/],
    ['voltage', '15 cm', 'UNIT_NOT_APPLICABLE', /^`voltage`: The unit "cm" .* accepted: /],
    ['solution_ph', '7 kV', 'WRONG_TYPE', /a number without a unit/],
    ['voltage_unit', 'kVV', 'UNKNOWN_UNIT', /^`voltage_unit`: /],
    ['polymer(s)', 'PCLX', 'UNKNOWN_POLYMER', /^`polymer\(s\)`: Unknown polymer "PCLX"; nearest: .*"PCL"/],
    ['polymer(s)', 'PCL-PVAX', 'UNKNOWN_POLYMER', /"PVAX"/],
    ['solvent(s)', 'DMFF', 'UNKNOWN_SOLVENT', /^`solvent\(s\)`: .*"DMF"/],
    [
      'polymer_components',
      'PCL',
      'INVALID_FORMAT',
      /^`polymer_components`: Expected a value such as \[{"name".*got "PCL"/,
    ],
    ['polymer_components', '[{"name": "PCL", "x": 1}]', 'UNKNOWN_MEMBER', /^`polymer_components`: .*"x"/],
    ['needle_definition', 'blunt', 'INVALID_FORMAT', /22 G/],
    ['needle_definition', '22 kV/s', 'UNKNOWN_UNIT', /kV\/s/],
    ['morphology', 'Beads; Smoth', 'UNKNOWN_MORPHOLOGY', /"Smoth".*"Smooth"/],
    ['is_polymer_blend', 'maybe', 'WRONG_TYPE', /true or false/],
    ['was_formation_stable', 'maybe', 'WRONG_TYPE', /^`was_formation_stable`: /],
    ['needle_definition', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'TOO_DEEP', /^`needle_definition`: /],
    ['publication_title', 'x'.repeat(262_145), 'TOO_LONG', /^`publication_title`: /],
    ['experiment_id', 'seven', 'INVALID_FORMAT', /record id/],
    ['experiment_id', 1.5, 'INVALID_FORMAT', /record id/],
  ])('in %s of %p has the problem %p', (column, cell, code, message) => {
    expect(one(column, cell)).toEqual({
      items: [undefined],
      problems: [['A2', code, expect.stringMatching(message)]],
    });
  });

  test('may be false or a text', () => {
    const header = ['was_formation_stable', 'is_custom_device', 'quality_grade', 'doi', 'morphology'];
    expect(parse(header, [false, 'YES', 5, ' 10.1/a ', 'smooth; Bead'])).toEqual({
      items: [
        {
          researchMetadata: { doi: '10.1/a', customDevice: true },
          fiberProperty: {
            isFormationStable: false,
            qualityGrade: '5',
            fiberMorphology: [
              { category: 'Texture', label: 'Smooth' },
              { category: 'Defects', label: 'Bead' },
            ],
          },
        },
      ],
      problems: [],
    });
  });
});

describe('the names of components', () => {
  const split = (text: string, isBlend?: boolean) => splitJoinedNames(text, 'polymers', references, isBlend);

  test('are split into known names', () => {
    expect(split('PCL')).toEqual(['PCL']);
    expect(split('PCL-PVA')).toEqual(['PCL', 'PVA']);
    expect(split('PVDF-HFP')).toEqual(['PVDF-HFP']);
    expect(split('PVDF-HFP-PCL')).toEqual(['PVDF-HFP', 'PCL']);
    expect(split('PVA-PCL-PEG')).toEqual(['PVA', 'PCL-PEG']);
    expect(split('PCL-PEG', true)).toEqual(['PCL', 'PEG']);
    expect(split('nothing-known')).toEqual(['nothing-known']);
    expect(split('PCL-unknown')).toEqual(['PCL', 'unknown']);
    expect(split('PCL-PVA', false)).toEqual(['PCL-PVA']);
    expect(split('-'.repeat(5_000))).toEqual(['-'.repeat(5_000)]);
  });

  test('with two possible splits are an error', () => {
    expect(split('PCL-PEG-PCL')).toEqual(['PCL-PEG-PCL']);
    expect(split('PCL-PEG-PCL', true)).toBeUndefined();
    expect(parse(['is_polymer_blend', 'polymer(s)'], [true, 'PCL-PEG-PCL'])).toEqual({
      items: [undefined],
      problems: [['B2', 'AMBIGUOUS_NAME', expect.stringContaining('write `polymer_components` as [{"name": "PCL"')]],
    });
  });

  test('must agree with the summary columns', () => {
    const header = ['is_polymer_blend', 'polymer(s)', 'polymer_components'];
    const components = '[{"name":"PCL"},{"name":"PVA"}]';
    expect(parse(header, [true, 'PCL-PVA', components], [undefined, 'pcl-PVA', components]).problems).toEqual([]);
    expect(parse(header, [undefined, 'PCL', components], [false, undefined, components])).toEqual({
      items: [undefined, undefined],
      problems: [
        [
          'B2',
          'CONFLICTING_MEMBERS',
          expect.stringMatching(/^`polymer\(s\)`: The text "PCL" contradicts .* "PCL-PVA";/),
        ],
        [
          'A3',
          'CONFLICTING_MEMBERS',
          expect.stringMatching(/^`is_polymer_blend`: The value false contradicts .* \(2\);/),
        ],
      ],
    });
  });
});

describe('the heading', () => {
  test('has columns in any order and case; an unknown column suggests the nearest', () => {
    expect(parse([' Voltage', 'DOI'], [15, 'x']).items).toEqual([
      { researchMetadata: { doi: 'x' }, processParameter: { voltage: 15 } },
    ]);
    expect(parse(['voltge', 'DOI', 'doi', 'batch'], [15, 'x'])).toEqual({
      items: [{ researchMetadata: { doi: 'x' } }],
      problems: [
        ['C1', 'CONFLICTING_MEMBERS', 'The column `doi` appears twice; keep one of them.'],
        ['A1', 'UNKNOWN_MEMBER', 'Unknown column "voltge"; nearest: voltage.'],
        ['D1', 'UNKNOWN_MEMBER', 'Unknown column "batch"; see the template for all columns.'],
      ],
    });
  });

  test('must have known columns, and one above every value', () => {
    expect(parse(['a', 'b'], [1, 2]).problems).toEqual([['1:1', 'UNKNOWN_MEMBER', expect.any(String)]]);
    expect(parse(['voltage'], [1, 2], [1, 2]).problems).toEqual([
      ['B2', 'UNKNOWN_MEMBER', 'This column has no heading; add one in the first row.'],
    ]);
  });
});

test('the problems of all rows are reported; empty rows have none', () => {
  const { items, problems } = parse(
    ['voltage', 'polymer(s)'],
    ['a', 'b'],
    [undefined, '  '],
    [undefined, 'c'],
    [1, 'PCL'],
  );
  expect(problems.map(([path]) => path)).toEqual(['A2', 'B2', 'B4']);
  expect(items.map((item) => item !== undefined)).toEqual([false, false, false, true]);
});

test('an exported record may have a retired name; a new record must not', () => {
  const polymers = seedLists.polymers.map((entry) => (entry.name === 'PVA' ? { ...entry, retired: true } : entry));
  const lists = indexReferences({ ...seedLists, polymers });
  const { items, problems } = parseBy(lists, ['experiment_id', 'polymer(s)'], [7, 'PVA'], [undefined, 'PVA']);
  expect(items[0]).toEqual({ recordId: 7, polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } });
  expect(problems).toEqual([['B3', 'RETIRED_NAME', expect.stringContaining('"PVA" is retired')]]);
});

test('each message follows the rules for messages', () => {
  const cells: readonly TableCell[] = [
    { kind: 'date', unreadable: 'The cell holds a date.' },
    ...['x', '1,5', '5 cm', '5 kV', 'maybe', '{}', '[', '[1]', 'PEI', 'PCL-PVA', 'PCL-PEG-PCL', '0'],
    ...['x'.repeat(262_145), `${'['.repeat(30)}${']'.repeat(30)}`, 5, true, -1],
  ];
  const others = ['voltage_unit', 'is_polymer_blend', 'polymer_components'];
  const parsed = [
    parse(['x', 'y']),
    parse(['voltge', 'remarks', 'doi', 'DOI', 'voltage'], [undefined, 'x', 'y', 'z', 5, 'no heading']),
    ...flattenedColumns.flatMap((column) =>
      cells.flatMap((cell) => [
        parse([column], [cell]),
        parse([column, ...others], [cell, 'V', false, '[{"name":"PCL"},{"name":"PEO"}]']),
      ]),
    ),
  ];
  const messages = new Set(parsed.flatMap(({ problems }) => problems.map(([, , message = '']) => message)));
  expect(messages.size).toBeGreaterThan(100);
  const faults = [...messages].flatMap((message) => messageFaults(message).map((fault) => [message, fault]));
  expect(faults).toEqual([]);
});
