import { describe, expect, test } from '@jest/globals';
import { checkEntry } from '../../src/reference/check-entry.ts';
import { indexReferences, type EntryInList, type ListName, resolveName } from '../../src/reference/reference.ts';
import type { InstabilityEntry, MorphologyEntry, SubstanceEntry, UnitEntry } from '../../src/reference/reference.ts';
import { references, seedLists } from '../seed-lists.ts';

const polymer = (members: Partial<SubstanceEntry>): EntryInList => ({
  list: 'polymers',
  entry: { id: 0, name: 'NEW_POLYMER', aliases: [], kind: 'polymer', ...members },
});
const unit = (members: Partial<UnitEntry>): EntryInList => ({
  list: 'units',
  entry: { id: 0, unit: 'dag', name: 'decagram', dimension: 'mass', factor: 10_000, aliases: [], ...members },
});
const morphology = (members: Partial<MorphologyEntry>): EntryInList => ({
  list: 'morphologies',
  entry: { id: 0, category: 'Shape', label: 'Coil', definition: 'Wound.', synonyms: [], ...members },
});
const instability = (members: Partial<InstabilityEntry>): EntryInList => ({
  list: 'instabilities',
  entry: { id: 0, category: 'Jet', label: 'Dancing', definition: 'It dances.', synonyms: [], ...members },
});

const problems = (sent: EntryInList, former: string[] = []) =>
  checkEntry(sent, references, former).problems.map(({ path, code, message }) => `${path} ${code}: ${message}`);

const held = (list: ListName, name: string): EntryInList => {
  const found = resolveName(references, list, name);
  if (found.kind !== 'found') throw new Error(`${name} is in no list`);
  // Safe cast: the entry comes from this list.
  return { list, entry: found.entry } as EntryInList;
};

test('every seed entry can be saved unchanged', () => {
  const lists = ['polymers', 'solvents', 'units', 'morphologies', 'instabilities'] as const;
  for (const list of lists) {
    for (const entry of seedLists[list]) {
      // Safe cast: the entry comes from this list.
      const sent = { list, entry } as EntryInList;
      const { checked, problems } = checkEntry(sent, references, []);
      expect([list, entry, problems]).toEqual([list, entry, []]);
      expect(checked.entry).toEqual({ ...entry, retired: false });
    }
  }
});

test('a new entry is trimmed and completed', () => {
  const { checked, problems } = checkEntry(
    polymer({ name: ' NYLON_99 ', abbreviation: ' ', aliases: [' Nylon 99 '], sameAs: 'polycaprolactone' }),
    references,
    [],
  );
  expect(problems).toEqual([]);
  expect(checked.entry).toEqual({
    id: 0,
    name: 'NYLON_99',
    aliases: ['Nylon 99'],
    kind: 'polymer',
    sameAs: 'PCL',
    retired: false,
  });
  expect(checkEntry(unit({}), references, [])).toMatchObject({
    problems: [],
    checked: { entry: { canonical: 'mg', factor: 10_000, offset: 0 } },
  });
  expect(checkEntry(morphology({ category: 'shape' }), references, [])).toMatchObject({
    problems: [],
    checked: { entry: { category: 'Shape' } },
  });
});

test('previous names remain spellings, without duplicates', () => {
  const former = checkEntry(polymer({ aliases: ['Old one'] }), references, ['OLD', 'old ONE', 'new_polymer']);
  expect(former.checked.entry).toMatchObject({ aliases: ['Old one', 'OLD'] });
  const units = checkEntry(unit({ aliases: ['DAG'] }), references, ['Dag', 'DAG']);
  expect(units.checked.entry).toMatchObject({ aliases: ['DAG', 'Dag'] });
});

test('all problems are reported together', () => {
  const found = problems(
    polymer({ name: '', casNumber: '9002-89-6', kind: 'fiber', aliases: ['a\u202Eb', ' '], sameAs: 'NO_SUCH' }),
  );
  expect(found).toEqual([
    'name MISSING_VALUE: `name` is required.',
    expect.stringContaining('casNumber INVALID_FORMAT: Expected a CAS number'),
    expect.stringContaining('kind INVALID_FORMAT: Expected one of polymer, biopolymer'),
    expect.stringContaining('aliases[0] INVALID_TEXT'),
    'aliases[1] MISSING_VALUE: `aliases[1]` is required.',
    expect.stringContaining('sameAs INVALID_FORMAT: The name "NO_SUCH" is unknown'),
  ]);
});

describe('a spelling belongs to one entry', () => {
  test.each<[string, EntryInList, unknown[]]>([
    [
      'a name of another entry',
      polymer({ name: 'pcl' }),
      ['name NAME_TAKEN: The text "pcl" already belongs to the entry "PCL"; choose another.'],
    ],
    [
      'a name that is an alias of another entry',
      polymer({ name: 'PVOH' }),
      ['name NAME_TAKEN: The text "PVOH" already belongs to the entry "PVA"; choose another.'],
    ],
    [
      'an alias that is the full name of another entry',
      polymer({ aliases: ['x', 'poly(vinyl ALCOHOL)'] }),
      ['aliases[1] NAME_TAKEN: The text "poly(vinyl ALCOHOL)" already belongs to the entry "PVA"; choose another.'],
    ],
    [
      'a name that differs only in the form of a hyphen',
      polymer({ aliases: ['Poly\u2010lactic  acid'] }),
      [expect.stringContaining('"PLA"')],
    ],
    [
      'a name that is an ambiguous text',
      polymer({ name: 'PEI' }),
      [
        'name AMBIGUOUS_NAME: The text "PEI" is ambiguous (POLYETHERIMIDE or POLYETHYLENIMINE) and cannot belong to one entry; leave it out.',
      ],
    ],
    ['the lists are separate', polymer({ name: 'ACETONE' }), []],
    ['units are case-sensitive', unit({ unit: 'DAG', aliases: ['KILOVOLT'] }), []],
    ['a unit with the same letters', unit({ unit: 'kilovolt' }), [expect.stringContaining('unit NAME_TAKEN')]],
    [
      'a label',
      morphology({ synonyms: ['pored'] }),
      [expect.stringContaining('synonyms[0] NAME_TAKEN: The text "pored" already belongs to the entry "Porous"')],
    ],
    [
      'a label of an instability',
      instability({ label: 'kink instability' }),
      [expect.stringContaining('label NAME_TAKEN')],
    ],
  ])('%s', (_, sent, expected) => {
    expect(problems(sent)).toEqual(expected);
  });

  test('an entry does not conflict with itself', () => {
    const pva = seedLists.polymers.find(({ name }) => name === 'PVA');
    expect(problems(polymer({ ...pva, name: 'PVOH', aliases: ['PVA'] }))).toEqual([]);
  });
});

describe('fixed and constrained members', () => {
  const volt = seedLists.units.find(({ unit }) => unit === 'V');
  if (!volt) throw new Error('there are volts');
  test.each<[string, EntryInList, unknown[]]>([
    [
      'factor',
      unit({ ...volt, factor: 0.01 }),
      ['factor NOT_CHANGEABLE: `factor` is 0.001 and cannot change, because values were converted with it; got 0.01.'],
    ],
    [
      'offset and canonical',
      unit({ ...volt, offset: 1, canonical: 'V' }),
      [expect.stringContaining('canonical'), expect.stringContaining('offset')],
    ],
    ['dimension', unit({ ...volt, dimension: 'mass' }), [expect.stringContaining('dimension NOT_CHANGEABLE')]],
    [
      'the name of a canonical unit',
      unit({ ...(held('units', 'kV').entry as UnitEntry), unit: 'KILO' }),
      [expect.stringContaining('unit NOT_CHANGEABLE')],
    ],
    ['a unit may be renamed', unit({ ...volt, unit: 'Volt' }), []],
    ['an unknown dimension', unit({ dimension: 'voltag' }), [expect.stringContaining('nearest: voltage')]],
    [
      'a gauge',
      unit({ dimension: 'gauge' }),
      ['dimension INVALID_FORMAT: Units of gauge cannot be added; choose another dimension.'],
    ],
    ['another canonical', unit({ canonical: 'kg' }), [expect.stringContaining('"mg", not to "kg"')]],
    ['no factor', unit({ factor: undefined }), [expect.stringContaining('factor MISSING_VALUE')]],
    ['a factor of 0', unit({ factor: 0 }), [expect.stringContaining('factor INVALID_FORMAT')]],
    [
      'an unknown category',
      morphology({ category: 'Form' }),
      [expect.stringContaining('category INVALID_FORMAT: Unknown category "Form"; known: Structure')],
    ],
    ['a hyphen', polymer({ name: 'NYLON-99' }), [expect.stringContaining('name INVALID_FORMAT')]],
    ['a long name', polymer({ name: 'x'.repeat(201) }), ['name TOO_LONG: Expected at most 200 characters, got 201.']],
    [
      'many aliases',
      polymer({ aliases: Array.from({ length: 101 }, (_, i) => `alias ${i}`) }),
      [expect.stringContaining('aliases TOO_MANY_ITEMS')],
    ],
    ['itself', polymer({ sameAs: 'new_polymer' }), [expect.stringContaining('sameAs')]],
    [
      'a legacy spelling',
      { list: 'solvents', entry: { id: 0, name: 'NEW', aliases: [], kind: 'solvent', sameAs: 'DW' } },
      [expect.stringContaining('is the same as "WATER"')],
    ],
  ])('%s', (_, sent, expected) => {
    expect(problems(sent)).toEqual(expected);
  });
});

test('a retired name is an error that names its replacement, and is not suggested', async () => {
  const { validateSubmission } = await import('../../src/validate/validate-submission.ts');
  const lists = indexReferences({
    ...seedLists,
    polymers: seedLists.polymers.map((entry) =>
      entry.name === 'PVA' ? { ...entry, retired: true, sameAs: 'PCL' } : entry,
    ),
  });
  const body = (polymerName: string) => ({
    experimentData: [{ polymerProperty: { polymerComponents: [{ polymerName }] } }],
  });
  const path = 'experimentData[0].polymerProperty.polymerComponents[0].polymerName';
  const message = 'The polymer "PVOH" is retired; send "PCL" instead.';
  const rejected = validateSubmission(body('PVOH'), lists, { userMetadata: 'optional' });
  expect(rejected.problems).toEqual([{ path, code: 'RETIRED_NAME', message }]);
  const updated = validateSubmission(body('PVOH'), lists, { userMetadata: 'optional', keepsRetired: true });
  expect(updated.submission?.records[0]?.data).toEqual(body('PVA').experimentData[0]);
  expect(updated.submission?.records[0]?.warnings).toContainEqual({
    path: 'polymerProperty.polymerComponents[0].polymerName',
    code: 'RETIRED_NAME',
    message,
  });
  const near = validateSubmission(body('Polyvinyl Alcohl'), lists, { userMetadata: 'optional' });
  expect(near.problems[0]?.message).not.toContain('PVA');
});

test('identifiers must have the form of their vocabulary; a polymer has none', () => {
  const solvent = { id: 0, name: 'NEW', aliases: [], kind: 'solvent' };
  const problemsOf = (entry: object) =>
    checkEntry({ list: 'solvents', entry: { ...solvent, ...entry } }, references, []).problems.map(({ path }) => path);
  expect(problemsOf({ inchiKey: 'CSCPPACGZOOCGX-UHFFFAOYSA-N', pubchemCid: 180 })).toEqual([]);
  expect(problemsOf({ inchiKey: 'InChI=1S/C3H6O', pubchemCid: 0 })).toEqual(['inchiKey', 'pubchemCid']);
  const polymer = { ...solvent, kind: 'polymer', inchiKey: 'CSCPPACGZOOCGX-UHFFFAOYSA-N' };
  const { checked } = checkEntry({ list: 'polymers', entry: polymer }, references, []);
  expect(checked.entry).toMatchObject({ inchiKey: undefined });
  const unit = { id: 0, unit: 'dag', name: 'decagram', dimension: 'mass', factor: 10_000, aliases: [] };
  const ofUnit = (entry: object) =>
    checkEntry({ list: 'units', entry: { ...unit, ...entry } }, references, []).problems.map(({ path }) => path);
  expect(ofUnit({ ucumCode: 'dag', qudtUri: 'http://qudt.org/vocab/unit/DecaGM' })).toEqual([]);
  expect(ofUnit({ ucumCode: 'da g', qudtUri: 'https://example.org/dag' })).toEqual(['ucumCode', 'qudtUri']);
});
