import {
  entryOfValue,
  type NamedSubstance,
  sameNames,
  type SubstanceKey,
  substanceNames,
} from '@esd/record/reference/substance-names';
import type { Reading } from '../read-index/matching-rows.ts';
import { type Category, categoryOf } from './categories.ts';

const KEYS: readonly SubstanceKey[] = ['polymer', 'solvent'];

export function isSubstance(key: string): key is SubstanceKey {
  return KEYS.some((known) => known === key);
}

/** Returns a category whose values join each entry with the names that are `sameAs` it. `others` are these names by value. */
export async function linesOf(
  reading: Reading,
  key: SubstanceKey,
): Promise<Category & { others: ReadonlyMap<string, readonly string[]> }> {
  const { references } = reading;
  const category = await categoryOf(reading, key);
  const others = new Map<string, readonly string[]>();
  const lines = new Map<string, number>();
  const lineOf = category.values.map((value) => {
    const entry = entryOfValue(references, key, value);
    const line = entry?.name ?? value;
    const index = lines.get(line) ?? lines.size;
    lines.set(line, index);
    if (entry) others.set(line, sameNames(references, key, entry));
    return index;
  });
  const valuesOf = category.valuesOf.map((values) => values && [...new Set(values.map((value) => lineOf[value] ?? 0))]);
  return { ...category, values: [...lines.keys()], valuesOf, others };
}

/** Names the polymers and solvents of a dataset that are in the lists, with the names that are `sameAs` them. */
export async function namedSubstances(reading: Reading): Promise<NamedSubstance[]> {
  const { references } = reading;
  const named: NamedSubstance[] = [];
  for (const key of KEYS) {
    const { values } = await categoryOf(reading, key);
    const entries = new Set(values.flatMap((value) => entryOfValue(references, key, value) ?? []));
    for (const entry of entries) {
      const { displayName: name, shortName } = substanceNames(entry);
      for (const value of [entry.name, ...sameNames(references, key, entry)]) {
        named.push({ key, value, name, shortName });
      }
    }
  }
  return named;
}
