import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { indexReferences, nearestNames, resolveName } from '../../src/reference/reference.ts';
import type { ListName } from '../../src/reference/reference.ts';
import { references, seedLists } from '../seed-lists.ts';

const ownName = (list: ListName, text: string): string | undefined => {
  const resolution = resolveName(references, list, text);
  if (resolution.kind !== 'found') return undefined;
  const { entry } = resolution;
  return 'unit' in entry ? entry.unit : 'label' in entry ? entry.label : entry.name;
};

const spellings: [ListName, string, string][] = [
  ...(['polymers', 'solvents'] as const).flatMap((list) =>
    seedLists[list].flatMap((e) =>
      [e.name, e.fullName, e.abbreviation, ...e.aliases].flatMap((s) =>
        s === undefined ? [] : [[list, s, e.name] as [ListName, string, string]],
      ),
    ),
  ),
  ...seedLists.morphologies.flatMap((e) =>
    [e.label, e.abbreviation, ...e.synonyms].flatMap((s) =>
      s === undefined ? [] : [['morphologies', s, e.label] as [ListName, string, string]],
    ),
  ),
  ...seedLists.instabilities.flatMap((e) =>
    [e.label, ...e.synonyms].map((s): [ListName, string, string] => ['instabilities', s, e.label]),
  ),
];

const unitSpellings = seedLists.units.flatMap((u) => [u.unit, u.name, ...u.aliases].map((s) => [s, u.unit] as const));

test('the seeds have all entries', () => {
  const { polymers, solvents, units, morphologies, instabilities, ambiguous } = seedLists;
  const counts = [polymers, solvents, units, morphologies, instabilities, ambiguous].map((list) => list.length);
  expect(counts).toEqual([270, 135, 134, 54, 35, 9]);
});

test('each name, full name, abbreviation, alias and synonym resolves to its entry, in any case and spacing', () => {
  expect(spellings.length).toBeGreaterThan(1_500);
  const flipping = fc.array(fc.boolean(), { minLength: 1 });
  fc.assert(
    fc.property(fc.constantFrom(...spellings), flipping, fc.boolean(), ([list, text, name], flips, spaces) => {
      const cased = [...text].map((c, i) => (flips[i % flips.length] ? c.toUpperCase() : c.toLowerCase())).join('');
      // Upper-casing is not reversible for a few letters (ß, µ).
      const sent = cased.toLowerCase() === text.toLowerCase() ? cased : text;
      expect(ownName(list, spaces ? ` ${sent.replaceAll(' ', '\u00A0 ')}\t` : sent)).toBe(name);
    }),
    { numRuns: runs(1_000) },
  );
  for (const [list, text, name] of spellings) expect([text, ownName(list, text)]).toEqual([text, name]);
});

test('each spelling of a unit resolves case-sensitively', () => {
  for (const [text, unit] of unitSpellings) expect([text, ownName('units', text)]).toEqual([text, unit]);
});

describe('units', () => {
  test.each([
    ['ml/h', 'mL/h'],
    ['ML/H', 'mL/h'],
    ['ug', 'µg'],
    ['\u03BCm', 'µm'],
    ['\u00B5m', 'µm'],
    ['mPa.s', 'mPa·s'],
    ['cm2', 'cm²'],
    ['KV', 'kV'],
    ['m', 'm'],
    ['M', 'mol/L'],
    ['mM', 'mmol/L'],
    ['G', 'G'],
    ['g', 'gram'],
    ['g mol\u22121', 'g/mol'],
    ['WT%', 'wt%'],
    ['gsm', 'g/m²'],
  ])('%s is %s', (text, unit) => {
    expect(ownName('units', text)).toBe(unit);
  });

  test.each([
    ['mpa', ['mPa', 'MPa']],
    ['MPA', ['mPa', 'MPa']],
    ['MM', ['mm', 'mmol/L']],
  ])('%s is ambiguous', (text, meanings) => {
    expect(resolveName(references, 'units', text)).toEqual({ kind: 'ambiguous', meanings });
  });
});

test('ambiguous texts do not resolve and list their meanings', () => {
  expect(seedLists.ambiguous).toHaveLength(9);
  for (const { list, text, meanings } of seedLists.ambiguous) {
    expect(resolveName(references, list, ` ${text.toLowerCase()} `)).toEqual({ kind: 'ambiguous', meanings });
  }
});

test('a shared spelling is ambiguous, but an own name always resolves', () => {
  const entry = { aliases: ['shared', 'FIRST'], kind: 'polymer' };
  const lists = {
    ...seedLists,
    polymers: [
      { ...entry, id: 1, name: 'FIRST' },
      { ...entry, id: 2, name: 'SECOND' },
    ],
  };
  const index = indexReferences(lists);
  expect(resolveName(index, 'polymers', 'Shared')).toEqual({ kind: 'ambiguous', meanings: ['FIRST', 'SECOND'] });
  expect(resolveName(index, 'polymers', 'first')).toMatchObject({ kind: 'found', entry: { id: 1 } });
});

test('variants of micro signs, hyphens, composed letters and spaces are equal', () => {
  const entry = { id: 1, aliases: [], kind: 'polymer' };
  const polymers = [{ ...entry, name: '\u00B5-gel \u00E9' }];
  const index = indexReferences({ ...seedLists, polymers });
  for (const text of ['\u03BC-gel \u00E9', '\u00B5\u2010gel\u202Fe\u0301', '\u03BC\u2013GEL  \u00C9']) {
    expect(resolveName(index, 'polymers', text)).toMatchObject({ kind: 'found', entry: { id: 1 } });
  }
});

test('a legacy spelling resolves to its own entry', () => {
  expect(resolveName(references, 'solvents', 'ac')).toMatchObject({
    kind: 'found',
    entry: { name: 'AC', sameAs: 'ACETONE' },
  });
});

test('an unknown text has the nearest names as suggestions', () => {
  expect(resolveName(references, 'polymers', 'PCLL')).toEqual({ kind: 'unknown' });
  expect(nearestNames(references, 'polymers', 'PCLL')).toContain('PCL');
  expect(nearestNames(references, 'polymers', 'polycaprolactne')).toEqual(['PCL', 'PA6']);
  expect(nearestNames(references, 'solvents', 'Chlorofrom')).toEqual(['CHLOROFORM']);
  expect(nearestNames(references, 'units', 'kVV')).toContain('kV');
  expect(nearestNames(references, 'polymers', 'unobtainium')).toEqual([]);
});

test('resolving never throws', () => {
  const list = fc.constantFrom<ListName>('polymers', 'solvents', 'units', 'morphologies', 'instabilities');
  fc.assert(
    fc.property(list, fc.string({ unit: 'binary', maxLength: 200 }), (name, text) => {
      expect(['found', 'ambiguous', 'unknown']).toContain(resolveName(references, name, text).kind);
      expect(nearestNames(references, name, text).length).toBeLessThanOrEqual(3);
    }),
    { numRuns: runs(1_000) },
  );
  expect(resolveName(references, 'polymers', '__proto__')).toEqual({ kind: 'unknown' });
  expect(resolveName(references, 'polymers', ' '.repeat(5_000_000) + 'PCL')).toEqual({ kind: 'unknown' });
});
