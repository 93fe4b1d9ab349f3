import { categoryValue } from '../filter/category-values.ts';
import { deviceKindOf } from '../filter/device-kinds.ts';
import { exactText } from '../filter/exact-text.ts';
import { type CategoryKey, SYSTEM_DASH, type SystemKey, systemNames, type TextKey } from '../filter/filter-keys.ts';
import { isDoi, normalizeDoi } from '../metadata/doi.ts';
import { fold } from '../reference/fold.ts';
import {
  isJoined,
  type ListName,
  nearestNames,
  ownName,
  type References,
  resolveName,
} from '../reference/reference.ts';
import { systemOf, systemsIn } from '../reference/systems.ts';
import { partOf, type ReadPart, type SearchCondition } from './search-part.ts';

const LISTS = [
  ['polymers', 'polymer', 'Polymer'],
  ['solvents', 'solvent', 'Solvent'],
  ['morphologies', 'morphology', 'Morphology'],
  ['instabilities', 'instability', 'Instability'],
] as const satisfies readonly (readonly [ListName, TextKey, string])[];

const SYSTEMS = [
  ['polymerSystem', 'Polymer system'],
  ['solventSystem', 'Solvent system'],
] as const satisfies readonly (readonly [SystemKey, string])[];

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
    meaningsOf(list, name, references).map((meaning) => {
      const values = valuesOf(key, meaning, references);
      return { key, name: label, value: values[0] ?? '', parameters: { [key]: exactText(values) } };
    }),
  );
  const systems = SYSTEMS.flatMap(([key, label]) =>
    systemsIn(references, systemNames[key], name)
      .map((names) => systemOf(references, systemNames[key], names))
      .filter((value) => value.includes(SYSTEM_DASH))
      .map((value) => ({ key, name: label, value, parameters: { [key]: exactText([value]) } })),
  );
  const devices = DEVICES.flatMap(([key, label]) =>
    // Kinds match by their words alone, so names with other characters are excluded here.
    !/^[\p{L}\s-]+$/u.test(name) || deviceKindOf(key, name) === undefined
      ? []
      : [{ key, name: label, value: fold(name), parameters: { [key]: fold(name) } }],
  );
  return [...listed, ...systems, ...devices];
}

/** Returns the own names that a name in a list can mean. */
function meaningsOf(list: ListName, name: string, references: References): readonly string[] {
  const resolution = resolveName(references, list, name);
  // Each of the names is a condition.
  if (isJoined(resolution)) return [];
  switch (resolution.kind) {
    case 'found':
      return [ownName(list, resolution.entry)];
    case 'ambiguous':
      return resolution.meanings;
    case 'unknown':
      return [];
  }
}

/** Returns the value of a name. A solvent also has its grades, which share its CAS number; the first entry with it is the substance. */
function valuesOf(key: TextKey, name: string, references: References): string[] {
  const value = categoryValue(key, name, references);
  const { solvents } = references.lists;
  const casNumber = key === 'solvent' ? solvents.find((entry) => entry.name === value)?.casNumber : undefined;
  if (casNumber === undefined) return [value];
  const same = solvents.filter((entry) => entry.casNumber === casNumber && entry.sameAs === undefined);
  return same[0]?.name === value ? same.map((entry) => entry.name) : [value];
}
