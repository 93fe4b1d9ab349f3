import type { SubstanceEntry } from './reference.ts';

/** Returns the names of a polymer or a solvent for people: "Poly(vinylidene fluoride) (PVDF)" and "PVDF". */
export function substanceNames({ name, fullName, abbreviation }: SubstanceEntry): {
  displayName: string;
  shortName: string;
} {
  const isBoth = fullName !== undefined && abbreviation !== undefined;
  const displayName = isBoth ? `${fullName} (${abbreviation})` : (fullName ?? abbreviation ?? name);
  return { displayName, shortName: abbreviation ?? fullName ?? name };
}
