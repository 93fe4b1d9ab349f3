import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { messageFaults } from '@esd/testing/language-rules';
import { explainFilter, explainOutcomes } from '../src/filter/explain-filter.ts';
import { features, textKeys } from '../src/filter/filter-keys.ts';
import { parseFilter } from '../src/filter/parse-filter.ts';
import { checkEntry } from '../src/reference/check-entry.ts';
import { indexReferences, type EntryInList } from '../src/reference/reference.ts';
import type { ProblemCode, WarningCode } from '../src/validate/problems.ts';
import { validateImage } from '../src/validate/validate-image.ts';
import { validateSubmission } from '../src/validate/validate-submission.ts';
import { demoRecords } from './demo-records.ts';
import { references, seedLists } from './seed-lists.ts';

interface Message {
  code: string;
  message: string;
}

const seen = new Set<string>();

/** Fails with the first five messages that break a rule. */
function expectValid(messages: readonly Message[]): void {
  for (const { code } of messages) seen.add(code);
  const bad = new Map(messages.map(({ message }) => [message, messageFaults(message)]));
  expect([...bad].filter(([, faults]) => faults.length > 0).slice(0, 5)).toEqual([]);
}

const retired = indexReferences({
  ...seedLists,
  polymers: seedLists.polymers.map((entry) => (entry.name === 'PVA' ? { ...entry, retired: true } : entry)),
});

function messagesOf(body: unknown, userMetadata: 'required' | 'optional' = 'optional'): Message[] {
  const once = validateSubmission(body, retired, { userMetadata });
  const updated = validateSubmission(body, retired, { userMetadata, imageOnly: true, keepsRetired: true });
  const warnings = [once, updated].flatMap(({ submission }) => submission?.records ?? []);
  return [...once.problems, ...updated.problems, ...warnings.flatMap((record) => record.warnings)];
}

const item = (members: object): unknown => ({ experimentData: [members] });

const badValues: readonly unknown[] = [
  null,
  5,
  -0.5,
  true,
  'x',
  '',
  'NP',
  'mpa',
  'PEI',
  'PVA',
  'cm',
  '5 kV',
  'x'.repeat(3_000),
  'a\u0000b',
  '\ud800',
  [],
  [[[[[[]]]]]],
  {},
  { unknown: 1, label: 5, category: 'x' },
  Array.from({ length: 101 }, () => 'x'),
  Number('1e999'),
  { __proto__: null, constructor: 1 },
];

/** Replaces one value of a JSON value, or adds one member. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  const other = fc.constantFrom(...badValues);
  if (Array.isArray(value) && value.length > 0) {
    const items: unknown[] = value;
    return fc.nat(items.length - 1).chain((at) => mutated(items[at]).map((changed) => items.with(at, changed)));
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return other;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return fc.oneof(
    { weight: 1, arbitrary: other },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('votlage', 'doi', 'ps', 'x y'), other)
        .map(([name, added]) => ({ ...members, [name]: added })),
    },
    {
      weight: 8,
      arbitrary: fc
        .constantFrom(...Object.keys(members))
        .chain((name) => mutated(members[name]).map((changed) => ({ ...members, [name]: changed }))),
    },
  );
}

describe('validator messages follow the rules', () => {
  test('for a submission with one wrong value anywhere', () => {
    const body = fc.constantFrom(...demoRecords).map((record) => ({
      userMetadata: { name: 'Ada', email: 'ada@example.org', orcid: '0000-0002-1825-0097', consentTerms: true },
      researchMetadata: { doi: '10.1/x' },
      experimentData: [{ ...record, fiberImages: [{ imageId: '0197a0b0-0000-7000-8000-00000000000a' }] }],
    }));
    fc.assert(
      fc.property(body.chain(mutated), fc.constantFrom('required', 'optional'), (sent, need) => {
        expectValid(messagesOf(sent, need));
      }),
      // Fewer runs do not reach every code.
      { numRuns: 1_500 },
    );
  });

  test.each<[string, unknown]>([
    ['no submission', 5],
    ['odd texts', { experimentData: badValues.map((collectorType) => ({ collectorProperty: { collectorType } })) }],
    ['odd numbers', { experimentData: badValues.map((voltage) => ({ processParameter: { voltage } })) }],
    ['DOIs in other texts', item({ researchMetadata: { doi: 'https://example.org/doi/10.1234/x.pdf?a=b' } })],
    ['two names', item({ polymerProperty: { polymerComponents: [{ polymerName: 'polystyrene (PVC)' }] } })],
    ['odd labels', { experimentData: badValues.map((fiberMorphology) => ({ fiberProperty: { fiberMorphology } })) }],
    ['odd instabilities', { experimentData: badValues.map((one) => ({ processParameter: { instability: [one] } })) }],
    ['unknown labels', item({ fiberProperty: { fiberMorphology: ['Ribon', 'unheard of'] } })],
    ['an unknown member', { experimentData: [{}], submitted: true }],
    ['no record', { experimentData: [] }],
    ['no list of records', { experimentData: {} }],
    ['too many records', { experimentData: Array.from({ length: 1_001 }, () => ({})) }],
    ['a changed imageOnly', { imageOnly: false, experimentData: [{}] }],
    ['no image', { imageOnly: true, experimentData: [{}] }],
    ['no submitter', { experimentData: [{}], userMetadata: {} }],
    [
      'terms that are not accepted',
      { experimentData: [{}], userMetadata: { consentTerms: false, email: 'x', orcid: 'y' } },
    ],
    ['a record that is too large', item({ needleProperty: { needleDefinition: { note: 'x'.repeat(300_000) } } })],
    [
      'too many members',
      item({
        needleProperty: { needleDefinition: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, i])) },
      }),
    ],
    ['an odd name of a member', item({ needleProperty: { needleDefinition: { ' x': 1 } } })],
    ['too deep', item({ needleProperty: { needleDefinition: { a: { b: { c: { d: { e: 1 } } } } } } })],
    ['nothing in a list', item({ needleProperty: { needleDefinition: { a: [null] } } })],
    ['two spellings', item({ solutionProperty: { viscosity: 1, solutionViscosity: 2 } })],
    ['a retired name', item({ polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } })],
    ['an ambiguous name', item({ polymerProperty: { polymerComponents: [{ polymerName: 'PEI' }] } })],
    ['a misspelled name', item({ polymerProperty: { polymerComponents: [{ polymerName: 'PCLL' }] } })],
    ['an unknown name', item({ polymerProperty: { polymerComponents: [{ polymerName: 'unobtainium' }] } })],
    ['an older spelling', item({ solventProperty: { solventComponents: [{ solventName: 'AC' }] } })],
    ['another unit', item({ processParameter: { voltage: 1, voltageUnit: 'cm' } })],
    ['a unit for two dimensions', item({ solutionProperty: { concentration: 1, concentrationUnit: 'kV' } })],
    ['another category', item({ fiberProperty: { fiberMorphology: [{ category: 'Shape', label: 'Bead' }] } })],
    ['a label without a text', item({ fiberProperty: { fiberMorphology: [{ lable: 'x' }, ' '] } })],
    ['an unusual pH', item({ solutionProperty: { pH: 15 } })],
    ['impossible values', item({ solutionProperty: { pH: 17 }, processParameter: { voltage: 0, flowRate: -1 } })],
    ['no DOI', item({ researchMetadata: { doi: 'none' } })],
    [
      'ratios',
      item({ polymerProperty: { polymerComponents: [{ polymerName: 'PCL', weightRatio: 40, weightRatioUnit: '%' }] } }),
    ],
  ])('for %s', (_, body) => {
    const messages = [...messagesOf(body), ...messagesOf(body, 'required')];
    expect(messages).not.toEqual([]);
    expectValid(messages);
  });

  test('for an image', () => {
    for (const sent of [...badValues, ...badValues.map((imageId) => ({ imageId })), { imageType: 5 }]) {
      expectValid(validateImage(sent, references).problems);
    }
  });

  test('for a filter', () => {
    const texts = [
      '',
      '[]',
      `{"polymer":"${'x'.repeat(4_096)}"}`,
      '{"polymer":"a","polymer":"b"}',
      '{"voltageMin":2,"voltageMax":1}',
      '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}',
      '{"voltageMin":1e999}',
      '{"polymr":"x"}',
      ...textKeys.flatMap(({ key }) => badValues.map((value) => JSON.stringify({ [key]: value }))),
      ...['isFormationStable', 'status', 'voltageMin', 'tempMax'].flatMap((key) =>
        badValues.map((value) => JSON.stringify({ [key]: value })),
      ),
    ];
    const messages = texts.flatMap((text) => {
      const parsed = parseFilter(text);
      return 'problem' in parsed ? [parsed.problem] : [];
    });
    expect(messages.length).toBeGreaterThan(100);
    expectValid(messages);
  });

  test('for an explanation', () => {
    const filters = [
      ...textKeys.flatMap(({ key }) =>
        ['rotating', 'drum', 'single', 'PVA', 'bead', 'x', '=', '=PVA|x', '=poly(vinyl alcohol)'].map((text) => ({
          [key]: text,
        })),
      ),
      ...features.flatMap(({ min, max }) => [{ [min]: 1e9 }, { [max]: -1e9 }, { [min]: 1, [max]: 2 }]),
      ...['yes', 'no'].map((isFormationStable) => ({ isFormationStable })),
      ...['PUBLISHED', 'PENDING'].map((status) => ({ status })),
    ];
    const records = [
      {},
      ...demoRecords.slice(0, 20),
      { needleProperty: { needleDefinition: { size: 99, unit: 'G' } } },
      { solutionProperty: { concentration: 10, concentrationUnit: 'g/L', viscosity: 3 } },
    ];
    for (const sent of filters) {
      const parsed = parseFilter(JSON.stringify(sent));
      if ('problem' in parsed) throw new Error(parsed.problem.message);
      const outcomes = records.flatMap((record) => explainOutcomes(parsed.filter, record, references, undefined));
      const texts = [
        ...explainFilter(parsed.filter, references).map(({ meaning }) => meaning),
        ...outcomes.flatMap(({ meaning, reason = 'It does.' }) => [meaning, reason]),
      ];
      expectValid(texts.map((message) => ({ code: '', message })));
    }
  });

  test('for an entry of a reference list', () => {
    const substance = { id: 0, name: 'NEW', aliases: [], kind: 'polymer' };
    const unit = { id: 0, unit: 'dag', name: 'decagram', dimension: 'mass', factor: 10, aliases: [] };
    const label = { id: 0, category: 'Shape', label: 'Coil', definition: 'Wound.' };
    const pcl = seedLists.polymers.find(({ name }) => name === 'PCL') ?? substance;
    const kV = seedLists.units.find((one) => one.unit === 'kV') ?? unit;
    const canonical = seedLists.units.find((one) => one.unit === one.canonical) ?? unit;
    const texts = [' ', 'a-b', 'PCL', 'pei', 'PVOH', 'x'.repeat(300), 'a\u0000', '\ud800', 'Structre'];
    const entries: EntryInList[] = [
      ...texts.flatMap((text): EntryInList[] => [
        { list: 'polymers', entry: { ...substance, name: text, kind: text, casNumber: text, sameAs: text } },
        {
          list: 'solvents',
          entry: { ...substance, name: 'X', fullName: text, abbreviation: text, aliases: [text], sameAs: text },
        },
        { list: 'units', entry: { ...unit, unit: text, name: text, dimension: text, canonical: text } },
        {
          list: 'morphologies',
          entry: { ...label, category: text, label: text, abbreviation: text, synonyms: [text] },
        },
        { list: 'instabilities', entry: { ...label, category: text, label: text, definition: text, synonyms: [text] } },
      ]),
      {
        list: 'polymers',
        entry: { ...substance, sameAs: 'NEW', aliases: Array.from({ length: 101 }, (_, i) => `n${i}`) },
      },
      { list: 'polymers', entry: { ...pcl, sameAs: 'PCL' } },
      { list: 'polymers', entry: { ...pcl, sameAs: 'PVA' } },
      { list: 'solvents', entry: { ...substance, sameAs: 'AC', kind: 'salt' } },
      {
        list: 'solvents',
        entry: { ...(seedLists.solvents.find(({ name }) => name === 'ACETONE') ?? substance), sameAs: 'DMF' },
      },
      { list: 'units', entry: { ...unit, factor: undefined, dimension: 'gauge' } },
      { list: 'units', entry: { ...unit, factor: 0, offset: Infinity, canonical: 'kV' } },
      { list: 'units', entry: { ...unit, factor: undefined, dimension: 'mas' } },
      { list: 'units', entry: { ...kV, factor: 2, dimension: 'length', canonical: undefined } },
      { list: 'units', entry: { ...canonical, unit: 'another' } },
    ];
    expectValid(entries.flatMap((entry) => checkEntry(entry, references, []).problems));
  });

  test('for every code of the validators', () => {
    // Reported by services.
    const elsewhere = [
      'NO_VALUES',
      'WRONG_RECORD_COUNT',
      'UNKNOWN_RECORD',
      'REPEATED_RECORD',
      'UNKNOWN_IMAGE',
      'IMAGE_TAKEN',
      'UNUSUAL_VALUE',
      'LIKELY_DUPLICATE',
      'SAME_SETTINGS_OTHER_RESULT',
      // Reported by the reader of sheets, which has its own test of messages.
      'SEVERAL_READINGS',
      'NO_HEADING_ROW',
      'HIDDEN_HEADING_ROW',
    ];
    const codes: Record<ProblemCode | WarningCode, true> = {
      UNKNOWN_MEMBER: true,
      CONFLICTING_MEMBERS: true,
      WRONG_TYPE: true,
      MISSING_VALUE: true,
      CONSENT_REQUIRED: true,
      INVALID_FORMAT: true,
      INVALID_TEXT: true,
      NOT_FINITE: true,
      IMPOSSIBLE_VALUE: true,
      NO_VALUES: true,
      TOO_LONG: true,
      TOO_DEEP: true,
      TOO_MANY_ITEMS: true,
      TOO_MANY_RECORDS: true,
      RECORD_TOO_LARGE: true,
      AMBIGUOUS_NAME: true,
      UNKNOWN_POLYMER: true,
      UNKNOWN_SOLVENT: true,
      UNKNOWN_UNIT: true,
      UNKNOWN_MORPHOLOGY: true,
      UNKNOWN_INSTABILITY: true,
      UNIT_NOT_APPLICABLE: true,
      WRONG_RECORD_COUNT: true,
      UNKNOWN_RECORD: true,
      REPEATED_RECORD: true,
      NOT_CHANGEABLE: true,
      NAME_TAKEN: true,
      RETIRED_NAME: true,
      UNKNOWN_IMAGE: true,
      IMAGE_TAKEN: true,
      RATIO_SUM: true,
      PH_OUT_OF_RANGE: true,
      LEGACY_NAME: true,
      CATEGORY_CORRECTED: true,
      DOI_NOT_WELL_FORMED: true,
      DOI_SHORTENED: true,
      UNUSUAL_VALUE: true,
      LIKELY_DUPLICATE: true,
      SAME_SETTINGS_OTHER_RESULT: true,
      SEVERAL_READINGS: true,
      NO_HEADING_ROW: true,
      HIDDEN_HEADING_ROW: true,
    };
    expect(Object.keys(codes).filter((code) => !seen.has(code))).toEqual(elsewhere);
  });
});
