import {
  entryOfValue,
  type NamedSubstance,
  sameNames,
  type SubstanceKey,
  substanceNames,
} from '@esd/record/reference/substance-names';
import type { IndexAtState } from '../read-index/matching-rows.ts';
import { type Category, categoryOf } from './categories.ts';

const KEYS: readonly SubstanceKey[] = ['polymer', 'solvent'];

export function isSubstance(key: string): key is SubstanceKey {
  return KEYS.some((known) => known === key);
}

/** Returns a category whose values join each entry with the names that are `sameAs` it. `others` are these names by value. */
export async function linesOf(
  index: IndexAtState,
  key: SubstanceKey,
): Promise<Category & { others: ReadonlyMap<string, readonly string[]> }> {
  const { references } = index;
  const category = await categoryOf(index, key);
  const others = new Map<string, readonly string[]>();
  const lines = new Map<string, number>();
  const lineOf = category.values.map((value) => {
    const entry = entryOfValue(references, key, value);
    const line = entry?.name ?? value;
    const position = lines.get(line) ?? lines.size;
    lines.set(line, position);
    if (entry) others.set(line, sameNames(references, key, entry));
    return position;
  });
  const valuesOf = category.valuesOf.map((values) => values && [...new Set(values.map((value) => lineOf[value] ?? 0))]);
  return { ...category, values: [...lines.keys()], valuesOf, others };
}

/** Names the polymers and solvents of a dataset that are in the lists, with the names that are `sameAs` them. */
export async function namedSubstances(index: IndexAtState): Promise<NamedSubstance[]> {
  const { references } = index;
  const named: NamedSubstance[] = [];
  for (const key of KEYS) {
    const { values } = await categoryOf(index, key);
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
