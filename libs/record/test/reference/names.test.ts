import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { nameProblem } from '../../src/filter/name-problem.ts';
import { parseFilter } from '../../src/filter/parse-filter.ts';
import { recordTerms, termMatcher } from '../../src/filter/text-terms.ts';
import { fold, normalize } from '../../src/reference/fold.ts';
import {
  type ListName,
  nearestNames,
  ownName,
  resolveName,
  spellingKey,
  spellingsOf,
} from '../../src/reference/reference.ts';
import { substanceNames } from '../../src/reference/substance-names.ts';
import { parseSearch } from '../../src/search/parse-search.ts';
import { readSheet } from '../../src/sheet/read-sheet.ts';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import { references, seedLists } from '../seed-lists.ts';
import { gridOf } from '../sheet/grids.ts';

type Key = 'polymer' | 'solvent';
const KEYS = ['polymer', 'solvent'] as const;

/** The table of the document: list, text, and its readings. A reading is names, or a code with names. */
const cases = readFileSync(new URL('../../../../docs/sheets.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, list, text = '', json = '', sheet = ''] = line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
    return KEYS.flatMap((key) => (key === list ? [{ key, text, json, sheet }] : []));
  });

const namesIn = (key: Key, data: ExperimentData): string => recordTerms(data)[key].join(' + ');

const withNames = (code: string, names: readonly string[]): string =>
  names.length === 0 ? code : `${code}: ${names.join(', ')}`;

function readJson(key: Key, text: string): string {
  const item =
    key === 'polymer'
      ? { polymerProperty: { polymerComponents: [{ polymerName: text }] } }
      : { solventProperty: { solventComponents: [{ solventName: text }] } };
  const { problems, submission } = validateSubmission({ experimentData: [item] }, references, {
    userMetadata: 'optional',
  });
  const [problem] = problems;
  if (problem === undefined) return namesIn(key, submission?.records[0]?.data ?? {});
  const [, names = ''] = /(?:nearest:|send|names) (.+?)(?:; send|\.$)/.exec(problem.message) ?? [];
  return withNames(problem.code, names.replaceAll('"', '').match(/\b(?!and\b|or\b)\w+/g) ?? []);
}

function readCell(key: Key, text: string): string {
  const [heading, value] = key === 'polymer' ? ['Voltage (kV)', '15'] : ['Polymer', 'PVA'];
  const rows = [
    [key, heading],
    [text, value],
  ];
  const reading = readSheet(gridOf(rows), { kind: 'csv', sheet: null, sheets: [] }, references);
  if ('kind' in reading) throw new Error(JSON.stringify(reading));
  const [row] = reading.rows;
  const error = row?.errors.find(({ path }) => path === 'A2');
  if (error !== undefined) {
    return withNames(
      error.code,
      (error.choices ?? []).map(({ choice }) => choice),
    );
  }
  const names = namesIn(key, row?.item ?? {});
  const choice = row?.errors[0]?.choices?.map(({ reads }) => reads).join(', ');
  const notes = reading.notes.filter(({ path }) => path === 'A2');
  expect(notes.map((note) => note.text)).toEqual(notes.map(() => text));
  const weights = notes.flatMap(({ kind, reads }) => (kind === 'molecular-weight' ? [reads] : []));
  const kinds = [...new Set(notes.map(({ kind }) => kind))];
  return [names, ...weights, ...kinds, ...(choice === undefined ? [] : [choice])].join(', ');
}

/** Returns what a filter finds among the names of the list, or the names in its problem. */
function readFilter(key: Key, text: string): string {
  const parsed = parseFilter(JSON.stringify({ [key]: text }));
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  const problem = nameProblem(parsed.filter, references);
  if (problem !== undefined) return problem.message;
  const [condition] = parsed.filter;
  if (condition?.kind !== 'text') throw new Error('no text');
  return references.lists[`${key}s`]
    .map(({ name }) => name)
    .filter(termMatcher(condition, references))
    .join(', ');
}

test('the table has at least 30 cases', () => {
  expect(cases.length).toBeGreaterThanOrEqual(30);
});

test.each(cases)('$key $text', ({ key, text, json, sheet }) => {
  expect([readJson(key, text), readCell(key, text)]).toEqual([json, sheet]);
  const [code = '', names] = json.split(': ');
  const found = readFilter(key, text);
  // A filter for an ambiguous text searches the text.
  if (text === 'PEI' || (names === undefined && code.startsWith('UNKNOWN'))) return;
  for (const name of (names ?? json).split(', ')) expect(found).toContain(name);
  expect(found.startsWith(`\`${key}\`: The text`)).toBe(names !== undefined);
});

/** All that the service shows of an entry, with the names that it may resolve to. */
const shown = KEYS.flatMap((key) =>
  references.lists[`${key}s`].flatMap((entry) => {
    const { displayName, shortName } = substanceNames(entry);
    const spellings = spellingsOf(`${key}s`, entry).map(([, spelling]) => spelling);
    return [displayName, shortName, ...spellings].map((text) => ({ key, text, name: entry.name }));
  }),
);

function resolved(key: Key, text: string): string | undefined {
  const resolution = resolveName(references, `${key}s`, text);
  return resolution.kind === 'found' ? resolution.entry.name : undefined;
}

const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  ' ': [' ', '  ', '\u00A0', '\u2009\t', '\u3000'],
  '-': ['-', '\u2010', '\u2011', '\u2013', '\u2014', '\u2212', '\uFF0D'],
  "'": ["'", '\u2019', '\u2032', '`', '\u00B4', '\u2033', '"'],
  ε: ['ε', '\u03F5', 'Ε'],
  α: ['α', 'Α'],
  '(': ['(', '\uFF08'],
  ')': [')', '\uFF09'],
  '2': ['2', '\u2082', '\uFF12'],
};
const INVISIBLE = ['', '\u00AD', '\u200B', '\u200D', '\u2060', '\uFEFF', '\uFE0F'];

test('every name that the service shows resolves everywhere, however its characters are written', () => {
  expect(shown.length).toBeGreaterThan(1_500);
  const picks = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(fc.constantFrom(...shown), picks, ({ key, text, name }, random) => {
      const pick = (from: readonly string[]): string => from[(random.next().value ?? 0) % from.length] ?? '';
      const written = [...text].map((character) => {
        const upper = character.toUpperCase();
        // Upper case is not reversible for a few letters, such as ß.
        const cases = upper.toLowerCase() === character.toLowerCase() ? [character.toLowerCase(), upper] : [character];
        return pick(VARIANTS[character] ?? cases) + pick(INVISIBLE);
      });
      const sent = `${pick([' ', ''])}${written.join('')}${pick([' ', ''])}`;
      expect(fold(sent)).toBe(fold(text));
      expect([sent, resolved(key, sent)]).toEqual([sent, name]);
    }),
    { numRuns: runs(2_000) },
  );
  for (const { key, text, name } of shown) {
    expect([text, resolved(key, text), readFilter(key, text).split(', ').includes(name)]).toEqual([text, name, true]);
    const search = parseSearch(text, references);
    const conditions = search.kind === 'filter' ? search.conditions.filter((condition) => condition.key === key) : [];
    const options = search.kind === 'filter' ? search.choices.flatMap((choice) => choice.options) : [];
    const main = references.lists[`${key}s`].find((entry) => entry.name === name)?.sameAs ?? name;
    const values = [...conditions, ...options].map(({ parameters }) => parameters[key]?.slice(1).split('|'));
    expect([text, values.some((names) => names?.includes(main))]).toEqual([text, true]);
  }
});

test('a second name never changes the meaning of a first one', () => {
  const pairs = fc.tuple(fc.constantFrom(...shown), fc.constantFrom(...shown));
  const join = fc.constantFrom<(a: string, b: string) => string>(
    (a, b) => `${a} (${b})`,
    (a, b) => `${a} [${b}]`,
    (a, b) => `${a}, ${b}`,
    (a, b) => `${a} – ${b}`,
  );
  fc.assert(
    fc.property(pairs, join, ([first, second], joined) => {
      fc.pre(first.key === second.key);
      const { key } = first;
      const mainOf = (name: string) => references.lists[`${key}s`].find((one) => one.name === name)?.sameAs ?? name;
      const text = joined(first.text, second.text);
      const resolution = resolveName(references, `${key}s`, text);
      if (mainOf(first.name) === mainOf(second.name))
        expect(mainOf(resolved(key, text) ?? '')).toBe(mainOf(first.name));
      else expect([text, resolution]).toEqual([text, expect.objectContaining({ kind: 'ambiguous' })]);
    }),
    { numRuns: runs(2_000) },
  );
});

test('no two entries of a list have equal keys', () => {
  for (const list of ['polymers', 'solvents', 'units', 'morphologies', 'instabilities'] as const satisfies ListName[]) {
    const owners = new Map<string, string>();
    for (const entry of seedLists[list]) {
      for (const [, spelling] of spellingsOf(list, entry)) {
        const key = spellingKey(list, spelling);
        const name = ownName(list, entry);
        expect([spelling, owners.get(key) ?? name]).toEqual([spelling, name]);
        owners.set(key, name);
      }
    }
    const ambiguous = seedLists.ambiguous.filter((one) => one.list === list && list !== 'units');
    for (const { text } of ambiguous) expect([text, owners.get(fold(text))]).toEqual([text, undefined]);
  }
});

test('keys are idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([fold(fold(text)), normalize(normalize(text))]).toEqual([fold(text), normalize(text)]);
    }),
    { numRuns: runs(2_000) },
  );
});

test('a part of a text that is a name is its nearest name', () => {
  expect(nearestNames(references, 'polymers', 'PEO 900 kDa')).toEqual(['PEO']);
  expect(nearestNames(references, 'solvents', 'deionized - water')).toEqual(['WATER', 'DEIONIZED_WATER']);
  // The end of a chemical name is no second name.
  expect(nearestNames(references, 'solvents', '2-butoxy-ethanol')).not.toContain('ETHANOL');
  expect(nearestNames(references, 'polymers', 'PVDF-HF')[0]).toBe('PVDF_HFP');
});

test('a long text of names and brackets is read in linear time', () => {
  for (const text of ['PCL-', 'PCL, ', '(', 'PCL (', ') ', 'a b '].map((part) => part.repeat(250).slice(0, 1_000))) {
    for (let run = 0; run < 1_000; run += 1) resolveName(references, 'polymers', `${text}${run % 10}`);
    expect(resolved('polymer', text)).toBeUndefined();
  }
});
