import { numbersAt, type SortedNumbers } from '../read-index/distribution.ts';

/** Computes quantiles (type 7, like numpy) of numbers after applying an increasing `scale`. Null without numbers. */
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
  const ranks = probabilities.map((probability) => (numbers.count - 1) * probability);
  const positions = [...new Set(ranks.flatMap((rank) => [Math.floor(rank), Math.ceil(rank)]))].sort((a, b) => a - b);
  const found = numbersAt(numbers, positions).map(scale);
  const at = (position: number): number => found[positions.indexOf(position)] ?? NaN;
  return ranks.map((rank) => between(at(Math.floor(rank)), at(Math.ceil(rank)), rank - Math.floor(rank)));
}

/** Interpolates from the nearer end, like numpy. */
function between(low: number, high: number, share: number): number {
  const difference = high - low;
  if (!Number.isFinite(difference)) return low * (1 - share) + high * share;
  return share < 0.5 ? low + difference * share : high - difference * (1 - share);
}
