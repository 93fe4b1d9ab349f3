import { findEntry, type References, type SubstanceEntry } from './reference.ts';

/** Returns the names of a polymer or a solvent for people: "Poly(vinylidene fluoride) (PVDF)" and "PVDF". */
export function substanceNames({
  name,
  fullName,
  abbreviation,
}: Pick<SubstanceEntry, 'name' | 'fullName' | 'abbreviation'>): {
  displayName: string;
  shortName: string;
} {
  const isBoth = fullName !== undefined && abbreviation !== undefined;
  const displayName = isBoth ? `${fullName} (${abbreviation})` : (fullName ?? abbreviation ?? name);
  return { displayName, shortName: abbreviation ?? fullName ?? name };
}

export type SubstanceKey = 'polymer' | 'solvent';

/** A value of the category `polymer` or `solvent`, with the names for people. A name that is `sameAs` another has its names. */
export interface NamedSubstance {
  readonly key: SubstanceKey;
  readonly value: string;
  readonly name: string;
  readonly shortName: string;
}

/** Returns the entry that a value of a category stands for: the target of `sameAs`. Undefined for a name outside the list. */
export function entryOfValue(references: References, key: SubstanceKey, value: string): SubstanceEntry | undefined {
  const list = `${key}s` as const;
  const entry = findEntry(references, list, value);
  return entry?.sameAs === undefined ? entry : (findEntry(references, list, entry.sameAs) ?? entry);
}

/** Returns the names of the entries that are `sameAs` an entry. */
export function sameNames(references: References, key: SubstanceKey, { name }: SubstanceEntry): string[] {
  return references.lists[`${key}s`].flatMap((entry) => (entry.sameAs === name ? [entry.name] : []));
}
