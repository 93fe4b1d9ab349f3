import { type SortedNumbers, valueAt } from '../read-index/distribution.ts';

/**
 * Computes quantiles by linear interpolation between the numbers around them (type 7, as numpy); null without numbers. `scale`, which
 * must be ascending, is applied to the numbers first.
 */
export function quantilesOf<const Probabilities extends readonly number[]>(
  numbers: SortedNumbers,
  probabilities: Probabilities,
  scale?: (value: number) => number,
): { [Index in keyof Probabilities]: number | null };
export function quantilesOf(
  numbers: SortedNumbers,
  probabilities: readonly number[],
  scale = (value: number): number => value,
): (number | null)[] {
  if (numbers.count === 0) return probabilities.map(() => null);
  const at = valueAt(numbers);
  return probabilities.map((probability) => {
    const rank = (numbers.count - 1) * probability;
    const [low, high] = [Math.floor(rank), Math.ceil(rank)];
    return between(scale(at(low)), scale(at(high)), rank - low);
  });
}

/** Computes from the nearer end, as numpy does. */
function between(low: number, high: number, share: number): number {
  const difference = high - low;
  if (!Number.isFinite(difference)) return low * (1 - share) + high * share;
  return share < 0.5 ? low + difference * share : high - difference * (1 - share);
}
