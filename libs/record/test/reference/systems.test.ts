import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Filter } from '../../src/filter/filter.ts';
import { matchFilter } from '../../src/filter/match-filter.ts';
import { nameProblem } from '../../src/filter/name-problem.ts';
import { parseFilter } from '../../src/filter/parse-filter.ts';
import { findEntry, indexReferences } from '../../src/reference/reference.ts';
import { systemOf, systemOfText, systemsIn } from '../../src/reference/systems.ts';
import { demoRecords } from '../demo-records.ts';
import { references } from '../seed-lists.ts';

function filterOf(filter: object): Filter {
  const parsed = parseFilter(JSON.stringify(filter));
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.filter;
}

const found = (filter: object): number[] => {
  const conditions = filterOf(filter);
  return demoRecords.flatMap((data, at) => (matchFilter(conditions, data, references) ? [at] : []));
};

test.each([
  'DMF/acetone',
  'Acetone–DMF',
  'acetone - DMF',
  'DMF & acetone',
  'DMF and AC',
  'N,N-Dimethylformamide + propan-2-one',
  'DMF:acetone:DMF',
  'DMF − acetone',
  'ＤＭＦ／acetone',
])('%s is the system of acetone and DMF', (text) => {
  expect(systemOfText(references, 'solvent', text)).toBe('ACETONE–DMF');
});

test('names of a system are in the order of the list, once for each entry, and unknown names come last', () => {
  expect(systemOf(references, 'solvent', ['unheard', 'DMF', 'AC', 'Beta', 'ACETONE'])).toBe('ACETONE–DMF–Beta–unheard');
  expect(systemOfText(references, 'solvent', 'DMF/unheard')).toBe('DMF/unheard');
  expect(systemOfText(references, 'polymer', 'polyvinyl alcohol')).toBe('PVA');
});

test.each(['polymer', 'solvent'] as const)(
  'any names of the list of %ss with any sign between them are their system',
  (key) => {
    const names = references.lists[`${key}s`].map(({ name }) => name);
    const some = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(some, fc.constantFrom(' / ', '+', ' and ', ' & ', ' : '), (chosen, joint) => {
        const text = chosen.join(joint);
        // A copolymer such as PEDOT:PSS is a name.
        fc.pre(chosen.length === 1 || findEntry(references, `${key}s`, text) === undefined);
        const system = systemOf(references, key, chosen);
        expect(systemOfText(references, key, text)).toBe(system);
        expect(systemOfText(references, key, system)).toBe(system);
      }),
    );
  },
);

test('a blend of two polymers is not their copolymer', () => {
  expect(systemOfText(references, 'polymer', 'PCL–PEG')).toBe('PCL–PEG');
  expect(systemOfText(references, 'polymer', 'PCL/PEG')).toBe('PCL–PEG');
  expect(systemOfText(references, 'polymer', 'PCL-PEG')).toBe('PCL_PEG');
  expect(systemOfText(references, 'polymer', 'PCL-PEG/PVA')).toBe(systemOf(references, 'polymer', ['PCL_PEG', 'PVA']));
});

test('a text can have several meanings, and be an enumeration', () => {
  expect(systemsIn(references, 'polymer', 'PVA/PEI')).toEqual([
    ['PVA', 'POLYETHERIMIDE'],
    ['PVA', 'POLYETHYLENIMINE'],
  ]);
  expect(systemOfText(references, 'polymer', 'PVA/PEI')).toBe('PVA/PEI');
  expect(systemsIn(references, 'solvent', 'DMF, 1,4-dioxane, and water')).toEqual([['DMF', 'DIOXANE', 'WATER']]);
  expect(systemsIn(references, 'solvent', 'DMF, acetone')).toEqual([]);
});

test('reading a text without a known system takes limited time', () => {
  for (const name of ['DMF-', 'DMF/', 'N,N-dimethylformamide, ']) {
    const started = performance.now();
    for (const count of [12, 38, 4_000]) expect(systemsIn(references, 'solvent', `${name.repeat(count)}x`)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2_000);
  }
});

test('a name counts as the last target of its chain of `sameAs`, and a cycle ends', () => {
  const solvents = references.lists.solvents.map((entry) =>
    entry.name === 'DW'
      ? { ...entry, sameAs: 'DISTILLED_WATER' }
      : entry.name === 'CHL'
        ? { ...entry, sameAs: 'CHL' }
        : entry,
  );
  const chained = indexReferences({ ...references.lists, solvents });
  expect(systemOf(chained, 'solvent', ['DW', 'DMF'])).toBe('WATER–DMF');
  expect(systemOf(chained, 'solvent', ['CHL'])).toBe('CHL');
});

test('a filter by a system matches the records with exactly its names', () => {
  const blend = found({ solventSystem: 'DMF/acetone' });
  expect(blend.length).toBeGreaterThan(50);
  expect(blend.length).toBeLessThan(found({ solvent: '=DMF|ACETONE' }).length);
  for (const at of blend) {
    const names = (demoRecords[at]?.solventProperty?.solventComponents ?? []).map(({ solventName }) => solventName);
    expect(new Set(names.map((name) => (name === 'DMF' ? name : 'ACETONE')))).toEqual(new Set(['DMF', 'ACETONE']));
  }
  for (const text of ['=ACETONE–DMF', 'acetone and DMF', 'ACETONE-DMF'])
    expect(found({ solventSystem: text })).toEqual(blend);
  const alternatives = found({ solventSystem: 'DMF/acetone | DMF' });
  expect(alternatives).toEqual([...blend, ...found({ solventSystem: 'DMF' })].sort((a, b) => a - b));
  expect(found({ solventSystem: 'no such solvent' })).toEqual([]);
  expect(found({ solventSystem: '=' })).toEqual(found({ solvent: '=' }));
});

test('`&` joins names that must all occur, and binds tighter than `|`', () => {
  const [dmf, acetone] = [found({ solvent: '=DMF' }), found({ solvent: '=ACETONE' })];
  const both = dmf.filter((at) => acetone.includes(at));
  expect(both.length).toBeGreaterThan(50);
  expect(found({ solvent: 'DMF & acetone' })).toEqual(both);
  expect(found({ solvent: '=DMF & AC' })).toEqual(both);
  const water = found({ solvent: '=WATER' });
  expect(found({ solvent: '=WATER|ACETONE & DMF' })).toEqual([...both, ...water].sort((a, b) => a - b));
  expect(found({ solvent: 'water | DMF & acetone' })).toEqual(found({ solvent: '=WATER|ACETONE & DMF' }));
  expect(found({ solvent: 'DMF & ' })).toEqual([]);
});

test.each<[filter: object, message: string | undefined]>([
  [
    { solvent: 'DMF/acetone' },
    '`solvent`: The text "dmf/acetone" names DMF and ACETONE; send `"solventSystem":"ACETONE–DMF"` for exactly these, or `"solvent":"DMF & ACETONE"` for all of them.',
  ],
  [
    { polymer: '=PVA - PEO' },
    '`polymer`: The text "PVA - PEO" names PVA and PEO; send `"polymerSystem":"PEO–PVA"` for exactly these, or `"polymer":"PVA & PEO"` for all of them.',
  ],
  [{ solvent: 'DMF & acetone' }, undefined],
])('the filter %j has the problem %j', (filter, message) => {
  expect(nameProblem(filterOf(filter), references)?.message).toBe(message);
});

test.each([[''], [5]])('the system %j is not valid', (solventSystem) => {
  expect(parseFilter(JSON.stringify({ solventSystem }))).toMatchObject({
    problem: { message: expect.stringContaining('`solventSystem` must be names such as') },
  });
});
