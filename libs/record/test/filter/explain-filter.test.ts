import { expect, test } from '@jest/globals';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { explainFilter, explainOutcomes } from '../../src/filter/explain-filter.ts';
import type { ConditionExplanation, ConditionOutcome } from '../../src/filter/explain-filter.ts';
import type { Filter } from '../../src/filter/filter.ts';
import { matchFilter } from '../../src/filter/match-filter.ts';
import { parseFilter } from '../../src/filter/parse-filter.ts';
import { demoRecords } from '../demo-records.ts';
import { references } from '../seed-lists.ts';

function filterOf(value: object): Filter {
  const result = parseFilter(JSON.stringify(value));
  if ('problem' in result) throw new Error(result.problem.message);
  return result.filter;
}

const explained = (value: object): ConditionExplanation[] => explainFilter(filterOf(value), references);
const [first] = demoRecords;
if (first === undefined) throw new Error('no demo');
const outcome = (value: object, data: ExperimentData = first): ConditionOutcome | undefined =>
  explainOutcomes(filterOf(value), data, references, undefined)[0];

test('each condition has an explanation', () => {
  expect(
    explained({
      voltageMin: 10,
      voltageMax: '20',
      polymer: 'Caprolactone',
      collectorType: 'Rotating',
      needleType: 'multi',
      morphology: 'core-shell',
      doi: 'doi:10.1002/APP',
      isFormationStable: 'no',
      status: 'PENDING',
    }),
  ).toEqual([
    {
      key: 'collectorType',
      meaning: '`collectorType` contains "rotating", whatever the case, or has one of its synonyms as a word.',
      text: 'rotating',
      words: ['rotating', 'rotary', 'rolling', 'drum', 'mandrel', 'disk', 'disc'],
    },
    { key: 'doi', meaning: 'The DOI, without prefix and in lower case, contains "10.1002/app".', text: '10.1002/app' },
    { key: 'isFormationStable', meaning: 'Fiber formation was not stable.' },
    {
      key: 'morphology',
      meaning: 'A morphology that "core-shell" finds in the list: 1 of its 54 entries.',
      text: 'core-shell',
      entries: ['Core-sheath'],
    },
    { key: 'needleType', meaning: '`needleType` contains "multi", whatever the case.', text: 'multi' },
    {
      key: 'polymer',
      meaning: 'A polymer that "caprolactone" finds in the list: 4 of its 270 entries.',
      text: 'caprolactone',
      entries: ['PCL', 'PLCL', 'PCLGA', 'PCL_PEG'],
    },
    { key: 'status', meaning: 'No record: public reads show only published records.', text: 'PENDING' },
    {
      key: 'voltage',
      meaning: '`voltage` is at least 10 kV and at most 20 kV; a value without a unit is read in kV.',
      unit: 'kV',
      min: 10,
      max: 20,
    },
  ]);
  expect(explained({ polymer: '=pva|PVDF', solvent: '=', isFormationStable: '=' })).toEqual([
    { key: 'isFormationStable', meaning: 'The record has no `isFormationStable`.', values: [] },
    {
      key: 'polymer',
      meaning: '`polymer` is exactly "PVDF" or "PVA". The list\'s own name of "pva" is "PVA".',
      values: ['PVDF', 'PVA'],
    },
    { key: 'solvent', meaning: 'The record has no `solvent`.', values: [] },
  ]);
  expect(explained({ status: 'APPROVED' })).toEqual([
    { key: 'status', meaning: 'Every public record.', text: 'APPROVED' },
  ]);
  expect(explained({})).toEqual([]);
});

// Record 1: CA in ACETONE, 15 wt%, 22 G, Flat, 12 kV, 23 without a unit, stable, 1346 nm ± 812 nm.
test.each<[filter: object, expected: Partial<ConditionOutcome>]>([
  [{ voltageMin: 12 }, { holds: true, value: 12, unit: 'kV' }],
  [{ polymer: '=CA' }, { holds: true, texts: ['CA'] }],
  [{ polymer: '=PVA' }, { holds: false, texts: ['CA'], reason: 'The record\'s `polymer` is "CA".' }],
  [{ polymer: '=' }, { holds: false, reason: 'The record\'s `polymer` is "CA".' }],
  [{ instability: '=Whipping' }, { holds: false, reason: 'The record has no `instability`.' }],
  [{ voltageMin: 13 }, { holds: false, value: 12, reason: 'The value 12 kV is below the range.' }],
  [{ voltageMax: 11 }, { holds: false, value: 12, reason: 'The value 12 kV is above the range.' }],
  [
    { voltageMin: 1, voltageMax: 11 },
    { holds: false, reason: 'The value 12 kV is above the range.' },
  ],
  [{ modulusMin: 1 }, { holds: false, unit: 'MPa', reason: 'The record has no `modulus`.' }],
  [{ needleDiameterMin: 1 }, { holds: false, value: 0.413, reason: 'The value 0.413 mm is below the range.' }],
  [{ polymer: 'PVDF' }, { holds: false, texts: ['CA'], reason: 'The text "pvdf" does not match "CA".' }],
  [{ solvent: 'acetone' }, { holds: true, texts: ['ACETONE'] }],
  [{ morphology: 'bead' }, { holds: false, texts: [], reason: 'The record has no `morphology`.' }],
  [{ isFormationStable: 'no' }, { holds: false, reason: 'The record says that fiber formation was stable.' }],
  [{ status: 'PENDING' }, { holds: false, reason: 'The record is published.' }],
])('the outcome of %j for a record has a reason if it does not match', (filter, expected) => {
  const found = outcome(filter);
  expect(found).toMatchObject(expected);
  expect(found?.reason === undefined).toBe(found?.holds);
});

test.each<[filter: object, data: ExperimentData, reason: string]>([
  [
    { concentrationMin: 1 },
    { solutionProperty: { concentration: 10, concentrationUnit: 'g/L' } },
    'The value 10 g/L cannot be converted to wt%.',
  ],
  [
    { variationMax: 1 },
    { fiberProperty: { fiberDiameterVariation: 50, fiberDiameterVariationUnit: 'nm' } },
    'The value 50 nm cannot be converted to % without a fiber diameter.',
  ],
  [{ needleDiameterMin: 1 }, {}, 'The record has no needle definition.'],
  [
    { needleDiameterMin: 1 },
    { needleProperty: { needleDefinition: { size: 99, unit: 'G' } } },
    'No inner diameter in mm can be read from `{"size":99,"unit":"G"}`.',
  ],
  [{ isFormationStable: 'yes' }, {}, 'The record does not say whether fiber formation was stable.'],
])('%j on %j: %s', (filter, data, reason) => {
  expect(outcome(filter, data)).toMatchObject({ holds: false, reason });
});

test('a record matches if and only if every condition holds; outcomes are JSON-serializable', () => {
  const filter = filterOf({ polymer: 'PVDF', voltageMin: 15, collectorType: 'rotating', variationMax: 20 });
  let matched = 0;
  for (const data of demoRecords) {
    const outcomes = explainOutcomes(filter, data, references, undefined);
    expect(outcomes.every(({ holds }) => holds)).toBe(matchFilter(filter, data, references));
    expect(JSON.parse(JSON.stringify(outcomes))).toEqual(outcomes);
    if (outcomes.every(({ holds }) => holds)) matched += 1;
  }
  expect(matched).toBeGreaterThan(0);
});
