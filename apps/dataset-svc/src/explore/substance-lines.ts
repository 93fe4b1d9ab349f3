import {
  entryOfValue,
  type NamedSubstance,
  sameNames,
  type SubstanceKey,
  substanceNames,
} from '@esd/record/reference/substance-names';
import type { IndexAtState } from '../read-index/matching-rows.ts';
import { categoryOf } from './categories.ts';

const KEYS: readonly SubstanceKey[] = ['polymer', 'solvent'];

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
