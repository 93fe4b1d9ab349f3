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

/** Exceeds the length of every chain of `sameAs`; a cycle ends here. */
const MAX_TARGETS = 10;

/** Returns the entry that a name counts as: the last target of its `sameAs`. Undefined for a name outside the list. */
export function entryOfValue(references: References, key: SubstanceKey, value: string): SubstanceEntry | undefined {
  let target = findEntry(references, `${key}s`, value);
  for (let step = 0; target?.sameAs !== undefined && step < MAX_TARGETS; step += 1) {
    const next = findEntry(references, `${key}s`, target.sameAs);
    if (next === undefined) break;
    target = next;
  }
  return target;
}

/** Returns the names of the other entries that count as an entry. */
export function sameNames(references: References, key: SubstanceKey, { name }: SubstanceEntry): string[] {
  return references.lists[`${key}s`].flatMap((entry) =>
    entry.sameAs !== undefined && entryOfValue(references, key, entry.name)?.name === name ? [entry.name] : [],
  );
}
