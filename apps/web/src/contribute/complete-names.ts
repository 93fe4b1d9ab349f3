import { fold } from '@esd/record/reference/fold';
import { type References, resolveName, spellingsOf } from '@esd/record/reference/reference';
import type { SubstanceEntry } from '@esd/record/reference/reference';

export interface NameMatch {
  readonly name: string;
  readonly fullName: string | undefined;
  /** The number of public records with this name; undefined until known. */
  readonly count: number | undefined;
}

interface NameMatches {
  readonly matches: readonly NameMatch[];
  /** The number of matching names, and of all names in the list. */
  readonly found: number;
  readonly all: number;
}

const MAX_MATCHES = 8;
const CAS_NUMBER = /^\d[\d-]*$/;

/** Rates how well a spelling matches the input; 0 is the best match, undefined is no match. */
function fit(spelling: string, typed: string): number | undefined {
  const folded = fold(spelling);
  if (folded === typed) return 0;
  if (folded.startsWith(typed)) return 1;
  // "vinylidene" and "polyvinylidene fluoride" find Poly(vinylidene fluoride).
  const plain = folded.replaceAll(/[^\p{L}\p{N}]/gu, '');
  const typedLetters = typed.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (typedLetters !== '' && plain === typedLetters) return 0;
  if (typedLetters !== '' && plain.startsWith(typedLetters)) return 2;
  return typed.length > 1 && folded.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(typed)) ? 3 : undefined;
}

/**
 * Finds the names in a list that match by name, full name, abbreviation, alias, or CAS number. They are ordered by nearest spelling,
 * then own names before aliases, then by number of public records.
 */
export function completeNames(
  text: string,
  list: 'polymers' | 'solvents',
  references: References,
  counts: ReadonlyMap<string, number> | undefined,
): NameMatches {
  const typed = fold(text);
  const entries: readonly SubstanceEntry[] = references.lists[list].filter(({ retired }) => retired !== true);
  if (typed === '') return { matches: [], found: 0, all: entries.length };
  const resolution = resolveName(references, list, text);
  const matching = entries.flatMap((entry) => {
    const count = counts?.get(entry.name) ?? 0;
    if (resolution.kind === 'found' && resolution.entry === entry) return [{ entry, score: 0, count }];
    const isNumber = CAS_NUMBER.test(typed) && entry.casNumber?.startsWith(typed) === true;
    const fits = spellingsOf(list, entry).flatMap(([member, spelling], at) => {
      const score = fit(spelling, typed);
      return score === undefined ? [] : [score * 2 + (at === 0 || member === 'abbreviation' ? 0 : 1)];
    });
    if (fits.length === 0 && !isNumber) return [];
    return [{ entry, score: isNumber ? 0 : Math.min(...fits), count }];
  });
  matching.sort((a, b) => a.score - b.score || b.count - a.count || a.entry.name.length - b.entry.name.length);
  const matches = matching.slice(0, MAX_MATCHES).map(({ entry, count }) => ({
    name: entry.name,
    fullName: entry.fullName ?? entry.aliases[0],
    count: counts === undefined ? undefined : count,
  }));
  return { matches, found: matching.length, all: entries.length };
}
