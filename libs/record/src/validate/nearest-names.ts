import damerauLevenshtein from 'damerau-levenshtein';

export const MAX_NEAREST = 3;

/** The number of searches that `nearest` may still run. Each compares a text with all known names, which is slow. */
export interface SuggestionBudget {
  left: number;
}

let budget: SuggestionBudget | undefined;

/** Runs `make`, in which `nearest` returns nothing once the budget is used up. `make` must be synchronous. */
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
 * Returns the restricted Damerau-Levenshtein distance of two texts, or undefined if it exceeds `limit`.
 * Checks the lengths first, so that a hostile text costs nothing.
 */
export function editDistance(from: string, to: string, limit: number): number | undefined {
  if (Math.abs(from.length - to.length) > limit) return undefined;
  const { steps } = damerauLevenshtein(from, to);
  return steps > limit ? undefined : steps;
}

/**
 * Returns at most three names with the nearest spellings, nearest first. Allows one mistake up to 4 characters, two up
 * to 9, three beyond. Case-sensitive: the caller folds the case.
 */
export function nearest(text: string, candidates: Iterable<readonly [spelling: string, name: string]>): string[] {
  if (text.length === 0) return [];
  if (budget?.left === 0) return [];
  if (budget) budget.left -= 1;
  const limit = text.length <= 4 ? 1 : text.length <= 9 ? 2 : 3;
  const distances = new Map<string, number>();
  for (const [spelling, name] of candidates) {
    const distance = editDistance(text, spelling, limit);
    // A short name is a letter or two away from any text.
    if (distance === undefined || distance >= spelling.length) continue;
    if (distance < (distances.get(name) ?? Infinity)) distances.set(name, distance);
  }
  return [...distances]
    .sort(([, a], [, b]) => a - b)
    .slice(0, MAX_NEAREST)
    .map(([name]) => name);
}
