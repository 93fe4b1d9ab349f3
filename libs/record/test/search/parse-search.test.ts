import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseFilter } from '../../src/filter/parse-filter.ts';
import { ownName, spellingsOf } from '../../src/reference/reference.ts';
import { rangeInWords } from '../../src/search/read-quantity.ts';
import { MAX_SEARCH_LENGTH, searchParameters, type SearchResult, parseSearch } from '../../src/search/parse-search.ts';
import { references } from '../seed-lists.ts';

type Filtered = Extract<SearchResult, { kind: 'filter' }>;

function filterOf(text: string): Filtered {
  const found = parseSearch(text, references);
  if (found.kind !== 'filter') throw new Error(`${text} is a ${found.kind}`);
  return found;
}

const parametersOf = (text: string): Record<string, string> => searchParameters(filterOf(text).conditions);
const BLEND = '=ACETONE–DMF';

describe('a search text', () => {
  test.each<[text: string, parameters: Record<string, string>]>([
    ['PVDF rotating < 500 nm', { polymer: '=PVDF', collectorType: 'rotating', fiberDiameterMax: '500' }],
    ['PVA in water', { polymer: '=PVA', solvent: '=WATER' }],
    ['distilled water', { solvent: '=WATER' }],
    ['fibers under 200 nm', { fiberDiameterMax: '200' }],
    ['runs that were not stable', { isFormationStable: 'no' }],
    ['stable PAN', { isFormationStable: 'yes', polymer: '=PAN' }],
    ['poly(vinylidene fluoride) 10–20 kV', { polymer: '=PVDF', voltageMin: '10', voltageMax: '20' }],
    ['15kV, 2 mL/h', { voltageMin: '15', voltageMax: '15', flowRateMin: '2', flowRateMax: '2' }],
    ['> 10 kV < 20 kV', { voltageMin: '10', voltageMax: '20' }],
    ['between 5 and 10 kV', { voltageMin: '5', voltageMax: '10' }],
    ['PLA diameter 0.2 µm to 0.3 µm', { polymer: '=PLA', fiberDiameterMin: '200', fiberDiameterMax: '300' }],
    ['0.5 µm PVDF', { fiberDiameterMin: '450', fiberDiameterMax: '550', polymer: '=PVDF' }],
    ['diameter: 300 nm', { fiberDiameterMin: '270', fiberDiameterMax: '330' }],
    ['diameter = 300 nm', { fiberDiameterMin: '300', fiberDiameterMax: '300' }],
    ['= 500 nm', { fiberDiameterMin: '500', fiberDiameterMax: '500' }],
    ['distance = 15', { tipDistMin: '15', tipDistMax: '15' }],
    ['diameter<200', { fiberDiameterMax: '200' }],
    ['distance 150 mm', { tipDistMin: '15', tipDistMax: '15' }],
    ['at least 25 C', { tempMin: '25' }],
    ['298.15 K', { tempMin: '25', tempMax: '25' }],
    ['humidity 40%', { humidityMin: '40', humidityMax: '40' }],
    ['22G', { needleDiameterMin: '0.413', needleDiameterMax: '0.413' }],
    ['> 22 G', { needleDiameterMax: '0.413' }],
    ['10 wt % PVDF in DMF/acetone', concentrated('=PVDF', { solventSystem: BLEND })],
    ['DMF and acetone', { solventSystem: BLEND }],
    ['Acetone–DMF', { solventSystem: BLEND }],
    ['DMF:acetone', { solventSystem: BLEND }],
    ['DMF or acetone', { solvent: '=DMF|ACETONE' }],
    ['PVA and PEO', { polymerSystem: '=PEO–PVA' }],
    ['PVDF/DMF/acetone', { polymer: '=PVDF', solventSystem: BLEND }],
    ['DMF or DMF/acetone', { solventSystem: '=DMF|ACETONE–DMF' }],
    ['DMF, acetone and water', { solventSystem: '=WATER–ACETONE–DMF' }],
    ['AC and acetone', { solvent: '=ACETONE' }],
    ['N,N-Dimethylformamide', { solvent: '=DMF' }],
    ['1,2-dichloroethane', { solvent: '=DCE' }],
    ['PVDF, PVA', { polymer: '=PVDF|PVA' }],
    ['drum collector', { collectorType: 'drum collector' }],
    ['beaded', { morphology: '=Bead' }],
    ['0.5-1 kV/cm', { fieldStrengthMin: '0.5', fieldStrengthMax: '1' }],
    ['PVDF https://doi.org/10.3390/NANO10061221', { polymer: '=PVDF', doi: '=10.3390/nano10061221' }],
  ])('%s', (text, parameters) => {
    expect(parametersOf(text)).toEqual(parameters);
    expect(filterOf(text)).toMatchObject({ choices: [], leftOut: [] });
  });

  test('becomes conditions in words, with inclusive bounds and units', () => {
    expect(filterOf('PVDF rotating < 500 nm').conditions.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'Polymer: PVDF',
      'Collector: rotating',
      'Fiber diameter: ≤ 500\u202fnm',
    ]);
    expect(filterOf('PVDF PVA').conditions).toMatchObject([{ value: 'PVDF or PVA' }]);
    expect(filterOf('>10 kV <20kV').conditions).toMatchObject([{ value: '10–20\u202fkV' }]);
    expect(rangeInWords({ min: 40, max: 40 }, '%')).toBe('40%');
  });

  test.each<[text: string, recordId: number]>([
    ['207', 207],
    [' #12 ', 12],
    ['Record 5', 5],
    ['no. 7', 7],
  ])('%s is a record id', (text, recordId) => {
    expect(parseSearch(text, references)).toEqual({ kind: 'record', recordId });
  });

  test('a DOI alone is a paper', () => {
    const paper = { kind: 'paper', doi: '10.3390/nano10061221' };
    expect(parseSearch('https://doi.org/10.3390/NANO10061221', references)).toEqual(paper);
  });
});

function concentrated(polymer: string, solvent: Record<string, string>): Record<string, string> {
  return { concentrationMin: '10', concentrationMax: '10', polymer, ...solvent };
}

describe('an ambiguous text is a choice', () => {
  test.each<[text: string, options: string[]]>([
    ['150 mm', ['Needle inner diameter: 150\u202fmm', 'Tip–collector distance: 15\u202fcm']],
    ['flat', ['Morphology: Ribbon', 'Collector: flat']],
    ['3 MPa', ['Tensile strength: 2.7–3.3\u202fMPa', "Young's modulus: 2.7–3.3\u202fMPa"]],
  ])('%s', (text, options) => {
    const { conditions, choices, leftOut } = filterOf(`PVDF ${text}`);
    expect(choices).toHaveLength(1);
    expect(choices[0]?.text).toBe(text);
    expect(choices[0]?.options.map(({ name, value }) => `${name}: ${value}`)).toEqual(options);
    expect([conditions.length, leftOut.length]).toEqual([1, 0]);
  });
});

describe('an unknown text becomes no condition', () => {
  test.each<[text: string, part: string, why: string, near: string[]]>([
    ['pvfd', 'pvfd', 'No match for “pvfd”.', ['PVDF', 'PVF', 'PVFM']],
    ['kollagen,', 'kollagen', 'No match for “kollagen”.', ['COLLAGEN']],
    ['15', '15', 'Add a unit to the number, such as kV, mL/h, cm, nm, wt%, °C or G.', []],
    ['15kW', '15kW', '“kW” is not a unit. Use one such as kV, mL/h, cm, nm, wt%, °C or G.', []],
    ['voltage', 'voltage', 'Add a value, such as “voltage < 10 kV”.', []],
    ['>20 kV <10 kV', '<10 kV', 'It contradicts an earlier condition on voltage.', []],
    ['100-50 nm', '100-50 nm', 'Write the smaller number of a range first.', []],
    ['voltage 5 nm', 'voltage 5 nm', 'nm cannot be converted to kV, the unit of voltage.', []],
    ['5 mg/mL', '5 mg/mL', 'No filter has the unit mg/mL.', []],
    ['99 G', '99 G', 'Needles have gauges from 7 to 34.', []],
    ['drum flat plate', 'flat plate', 'It contradicts an earlier condition on collector.', []],
  ])('%s', (text, part, why, near) => {
    const [first] = filterOf(`PVDF ${text}`).leftOut;
    expect(first).toEqual({ text: part, why, near });
    expect(parametersOf(`PVDF ${text}`)).toMatchObject({ polymer: '=PVDF' });
  });
});

describe('for every text', () => {
  const words = fc.constantFrom(
    ...[
      'PVDF',
      'water',
      'rotating',
      'flat',
      'not stable',
      '<',
      '>',
      '500',
      '-3',
      '1e400',
      '0.1',
      'nm',
      'kV',
      'G',
      'wt%',
    ],
    ...['in', 'voltage', 'distance', '10.1000/x|y', '\\', '|', '=', '–', 'to', 'and', '🧪', '__proto__', 'constructor'],
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(words).map((all) => all.join(' ')),
  );

  test('conditions and choices are valid filters', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const found = parseSearch(text, references);
        if (found.kind !== 'filter') return;
        const all = [found.conditions, ...found.choices.flatMap(({ options }) => options.map((option) => [option]))];
        for (const conditions of all) {
          expect(parseFilter(JSON.stringify(searchParameters(conditions)))).toHaveProperty('filter');
        }
      }),
    );
  });

  test('each word is a condition, a choice, an unmatched part or a filler', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('PVDF', 'DMF', 'qqqqqq', 'flat', '7 kV', 'of')), (parts) => {
        const found = parseSearch(`x1x1x1 ${parts.join(' ')}`, references);
        if (found.kind !== 'filter') throw new Error(found.kind);
        const has = (part: (typeof parts)[number]): boolean => parts.includes(part);
        expect(found.conditions.some(({ key }) => key === 'polymer')).toBe(has('PVDF'));
        expect(found.conditions.some(({ key }) => key === 'solvent')).toBe(has('DMF'));
        expect(found.conditions.some(({ key }) => key === 'voltage')).toBe(has('7 kV'));
        expect(found.leftOut).toHaveLength(1 + parts.filter((part) => part === 'qqqqqq').length);
        expect(found.choices).toHaveLength(parts.filter((part) => part === 'flat').length);
      }),
    );
  });

  test.each(['polymers', 'solvents'] as const)('every spelling of %s finds its own name', (list) => {
    const key = list === 'polymers' ? 'polymer' : 'solvent';
    for (const entry of references.lists[list]) {
      const name = entry.sameAs ?? ownName(list, entry);
      for (const [, spelling] of spellingsOf(list, entry)) {
        const found = filterOf(`${spelling} `.slice(0, MAX_SEARCH_LENGTH));
        const options = [...found.conditions, ...found.choices.flatMap((choice) => choice.options)];
        const values = options.flatMap(({ parameters }) => parameters[key]?.slice(1).split('|') ?? []);
        if (!values.includes(name)) throw new Error(`${spelling} finds ${JSON.stringify(found)}`);
      }
    }
  });
});
