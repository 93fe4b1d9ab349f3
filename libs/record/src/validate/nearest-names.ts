import damerauLevenshtein from 'damerau-levenshtein';

const MAX_SUGGESTIONS = 3;

/** How many more times `nearest` looks for names: to compare a text with all known names costs more than all else in a message. */
export interface SuggestionBudget {
  left: number;
}

let budget: SuggestionBudget | undefined;

/** Runs `make`, in which `nearest` finds nothing once the budget is used up. Not for what waits: `make` runs to its end at once. */
export function withSuggestions<T>(suggestions: SuggestionBudget, make: () => T): T {
  const outer = budget;
  budget = suggestions;
  try {
    return make();
  } finally {
    budget = outer;
  }
}

/**
 * Number of insertions, deletions, replacements and exchanges of neighbors that lead from one text to the other
 * (Damerau-Levenshtein distance in its restricted form), or undefined when there are more than `limit`.
 * Lengths that differ by more are rejected at once, so that a hostile text costs nothing.
 */
export function editDistance(from: string, to: string, limit: number): number | undefined {
  if (Math.abs(from.length - to.length) > limit) return undefined;
  const { steps } = damerauLevenshtein(from, to);
  return steps > limit ? undefined : steps;
}

/**
 * Names whose spelling comes nearest to a mistyped one, nearest first, at most three. The longer the text, the more
 * mistakes are allowed: one up to 4 characters, two up to 9, three beyond. Spellings are compared as given, so the
 * caller folds their case.
 */
export function nearest(text: string, candidates: Iterable<readonly [spelling: string, name: string]>): string[] {
  if (text.length === 0) return [];
  if (budget?.left === 0) return [];
  if (budget) budget.left -= 1;
  const limit = text.length <= 4 ? 1 : text.length <= 9 ? 2 : 3;
  const distances = new Map<string, number>();
  for (const [spelling, name] of candidates) {
    const distance = editDistance(text, spelling, limit);
    // A short name differs from everything in a letter or two; a suggestion must share most of it.
    if (distance === undefined || distance >= spelling.length) continue;
    if (distance < (distances.get(name) ?? Infinity)) distances.set(name, distance);
  }
  return [...distances]
    .sort(([, a], [, b]) => a - b)
    .slice(0, MAX_SUGGESTIONS)
    .map(([name]) => name);
}
