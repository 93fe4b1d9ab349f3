import { deviceKindOf } from '../filter/device-kinds.ts';
import { exactText } from '../filter/exact-text.ts';
import type { CategoryKey } from '../filter/filter-keys.ts';
import { isDoi, normalizeDoi } from '../metadata/doi.ts';
import { fold } from '../reference/fold.ts';
import {
  entriesOf,
  isJoined,
  type ListName,
  nearestNames,
  ownName,
  type References,
  resolveName,
  type SubstanceEntry,
} from '../reference/reference.ts';
import { partOf, type ReadPart, type SearchCondition } from './search-part.ts';

const LISTS = [
  ['polymers', 'polymer', 'Polymer'],
  ['solvents', 'solvent', 'Solvent'],
  ['morphologies', 'morphology', 'Morphology'],
  ['instabilities', 'instability', 'Instability'],
] as const satisfies readonly (readonly [ListName, CategoryKey, string])[];

const DEVICES = [
  ['collectorType', 'Collector'],
  ['needleType', 'Needle'],
] as const satisfies readonly (readonly [CategoryKey, string])[];

const STABILITY: ReadonlyMap<string, 'yes' | 'no'> = new Map([
  ['stable', 'yes'],
  ['unstable', 'no'],
  ['not stable', 'no'],
  ['failed', 'no'],
  ['failures', 'no'],
]);

/** Exceeds the word count of every name. */
const MAX_WORDS = 8;

/** Reads the longest known name at the beginning of a text. */
export function readName(text: string, references: References): ReadPart | undefined {
  const ends = [...text.matchAll(/\S+/g)].slice(0, MAX_WORDS).map(({ 0: word, index }) => index + word.length);
  for (const end of ends.reverse()) {
    const written = text.slice(0, end);
    const trimmed = written.replace(/[,;.]+$/, '');
    for (const name of new Set([written, trimmed])) {
      const options = conditionsOf(name, references);
      if (options.length > 0) return { length: end, part: partOf(options) };
    }
  }
  return undefined;
}

/** Returns at most three list names with a spelling similar to an unknown word. */
export function namesNear(word: string, references: References): string[] {
  const near = LISTS.flatMap(([list]) => nearestNames(references, list, word));
  return [...new Set(near)].slice(0, 3);
}

function conditionsOf(name: string, references: References): SearchCondition[] {
  const stability = STABILITY.get(fold(name));
  if (stability !== undefined) {
    const value = stability === 'yes' ? 'stable' : 'not stable';
    return [{ key: 'isFormationStable', name: 'Fiber formation', value, parameters: { isFormationStable: stability } }];
  }
  if (isDoi(name)) {
    const doi = normalizeDoi(name);
    return [{ key: 'doi', name: 'Paper', value: doi, parameters: { doi: exactText([doi]) } }];
  }
  const listed = LISTS.flatMap(([list, key, label]) =>
    meaningsOf(list, name, references).map((values) => ({
      key,
      name: label,
      value: values[0] ?? '',
      parameters: { [key]: exactText(values) },
    })),
  );
  const devices = DEVICES.flatMap(([key, label]) =>
    // Kinds match by their words alone, so names with other characters are excluded here.
    !/^[\p{L}\s-]+$/u.test(name) || deviceKindOf(key, name) === undefined
      ? []
      : [{ key, name: label, value: fold(name), parameters: { [key]: fold(name) } }],
  );
  return [...listed, ...devices];
}

/** Returns the meanings of a name in a list, each as the values that records have, own name first. */
function meaningsOf(list: ListName, name: string, references: References): string[][] {
  const resolution = resolveName(references, list, name);
  // Each of the names is a condition.
  if (isJoined(resolution)) return [];
  switch (resolution.kind) {
    case 'found':
      return [sameValues(list, ownName(list, resolution.entry), references)];
    case 'ambiguous':
      return resolution.meanings.map((meaning) => sameValues(list, meaning, references));
    case 'unknown':
      return [];
  }
}

/** Returns a name and its equivalents in records: legacy spellings, and grades of a solvent, which share its CAS number. */
function sameValues(list: ListName, name: string, references: References): string[] {
  if (list !== 'polymers' && list !== 'solvents') return [name];
  const entries = entriesOf(references.lists, list);
  const entry = entries.find((one) => one.name === name);
  const main = entry?.sameAs === undefined ? entry : entries.find((one) => one.name === entry.sameAs);
  if (main === undefined) return [name];
  // A grade matches only itself. The first entry with a CAS number is the substance.
  const isSubstance =
    list === 'solvents' && entries.find(({ casNumber }) => casNumber === main.casNumber)?.name === main.name;
  const isSame = (one: SubstanceEntry): boolean =>
    one === main || one.sameAs === main.name || (isSubstance && isGrade(one, main, entries));
  return [main.name, ...entries.filter((one) => one !== main && isSame(one)).map((one) => one.name)];
}

function isGrade(one: SubstanceEntry, of: SubstanceEntry, entries: readonly SubstanceEntry[]): boolean {
  if (of.casNumber === undefined) return false;
  const own = one.sameAs === undefined ? one : entries.find(({ name }) => name === one.sameAs);
  return own?.casNumber === of.casNumber;
}
