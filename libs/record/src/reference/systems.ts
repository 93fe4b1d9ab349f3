import { SYSTEM_DASH } from '../filter/filter-keys.ts';
import { byCodePoint } from '../filter/text-order.ts';
import { fold } from './fold.ts';
import { isJoined, type References, resolveName } from './reference.ts';
import { splitJoinedNames } from './split-joined-names.ts';
import { entryOfValue, type SubstanceKey } from './substance-names.ts';

/** Joins names in a folded text: a sign, a dash, the word "and", or a comma of an enumeration that ends with "and". */
const JOINT = /,? and |, (?=[^+/&:]* and )| ?[+/&:-] ?/g;
/** Exceeds the number of names of every system, and limits the combinations of meanings. */
const MAX_NAMES = 10;
/** Exceeds the length of every system, and limits the time for a hostile text. */
const MAX_LENGTH = 300;

/**
 * Returns the sets of own names that a text can mean, each in the order of the text and without duplicates: one for each
 * combination of the meanings of its names. Empty if a name is unknown, or if the text can be split in several ways.
 */
export function systemsIn(references: References, key: SubstanceKey, text: string): readonly (readonly string[])[] {
  const meaningsOf = (name: string): readonly string[] => {
    const resolution = resolveName(references, `${key}s`, name);
    if (resolution.kind === 'ambiguous') return isJoined(resolution) ? [] : resolution.meanings;
    return resolution.kind === 'found' ? [resolution.entry.name] : [];
  };
  const isKnown = (name: string): boolean => meaningsOf(name).length > 0;
  if (text.length > MAX_LENGTH) return [];
  const names = splitJoinedNames(fold(text), `${key}s`, references, undefined, JOINT, isKnown) ?? [];
  if (names.length === 0 || names.length > MAX_NAMES) return [];
  let systems: readonly (readonly string[])[] = [[]];
  for (const name of names) {
    systems = systems.flatMap((system) => meaningsOf(name).map((meaning) => [...new Set([...system, meaning])]));
  }
  return systems;
}

/** Returns the system of names: each entry that they count as, once, in the order of the list. Names outside the list come last. */
export function systemOf(references: References, key: SubstanceKey, names: readonly string[]): string {
  const list = references.lists[`${key}s`];
  const positions = new Map<string, number>();
  for (const name of names) {
    const entry = entryOfValue(references, key, name);
    positions.set(entry?.name ?? name, entry ? list.indexOf(entry) : list.length);
  }
  const sorted = [...positions].sort(([a, first], [b, second]) => first - second || byCodePoint(a, b));
  return sorted.map(([name]) => name).join(SYSTEM_DASH);
}

/** Returns the system that a text names; the text itself if it is a value already, or if it names none or several systems. */
export function systemOfText(references: References, key: SubstanceKey, text: string): string {
  const values = text.split(SYSTEM_DASH);
  // The blend PCL–PEG is not the copolymer PCL-PEG.
  if (values.length > 1 && systemOf(references, key, values) === text) return text;
  const [names, ...others] = systemsIn(references, key, text);
  return names && others.length === 0 ? systemOf(references, key, names) : text;
}
