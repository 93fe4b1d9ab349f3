import { fold, type References, spellingsOf } from '@esd/record/reference/reference';
import type { SubstanceEntry } from '@esd/record/reference/reference';

/** A name of a list that a text may mean. */
export interface NameMatch {
  readonly name: string;
  readonly fullName: string | undefined;
  /** How many public records have it; undefined while that is not known. */
  readonly count: number | undefined;
}

interface NameMatches {
  /** The best first. */
  readonly matches: readonly NameMatch[];
  /** How many names of the list match in all, and how many it has. */
  readonly found: number;
  readonly all: number;
}

const MAX_MATCHES = 8;
const CAS_NUMBER = /^\d[\d-]*$/;

/** How well a spelling fits what is typed, 0 the best; undefined where it does not. */
function fit(spelling: string, typed: string): number | undefined {
  const folded = fold(spelling);
  if (folded === typed) return 0;
  if (folded.startsWith(typed)) return 1;
  // Poly(vinylidene fluoride) is found by "vinylidene", and by "polyvinylidene fluoride".
  const plain = folded.replaceAll(/[^\p{L}\p{N}]/gu, '');
  const wanted = typed.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (wanted !== '' && plain === wanted) return 0;
  if (wanted !== '' && plain.startsWith(wanted)) return 2;
  return typed.length > 1 && folded.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(typed)) ? 3 : undefined;
}

/**
 * Names of a list that a text may mean, by name, full name, abbreviation, alias or CAS number. The nearest spelling goes first,
 * then own names before aliases, then what the dataset has most of.
 */
export function completeNames(
  text: string,
  list: 'polymers' | 'solvents',
  { lists }: References,
  counts: ReadonlyMap<string, number> | undefined,
): NameMatches {
  const typed = fold(text);
  const entries: readonly SubstanceEntry[] = lists[list].filter(({ retired }) => retired !== true);
  if (typed === '') return { matches: [], found: 0, all: entries.length };
  const found = entries.flatMap((entry) => {
    const isNumber = CAS_NUMBER.test(typed) && entry.casNumber?.startsWith(typed) === true;
    const fits = spellingsOf(list, entry).flatMap(([member, spelling], at) => {
      const score = fit(spelling, typed);
      return score === undefined ? [] : [score * 2 + (at === 0 || member === 'abbreviation' ? 0 : 1)];
    });
    if (fits.length === 0 && !isNumber) return [];
    return [{ entry, score: isNumber ? 0 : Math.min(...fits), count: counts?.get(entry.name) ?? 0 }];
  });
  found.sort((a, b) => a.score - b.score || b.count - a.count || a.entry.name.length - b.entry.name.length);
  const matches = found.slice(0, MAX_MATCHES).map(({ entry, count }) => ({
    name: entry.name,
    fullName: entry.fullName ?? entry.aliases[0],
    count: counts === undefined ? undefined : count,
  }));
  return { matches, found: found.length, all: entries.length };
}
