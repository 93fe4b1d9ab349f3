import { valuesAt } from '../read-index/columns/figures.ts';

/** Quantiles by linear interpolation between the values around them (type 7, as numpy's); null of no values. */
export async function quantilesOf<const Probabilities extends readonly number[]>(
  values: Float64Array,
  probabilities: Probabilities,
): Promise<{ [Index in keyof Probabilities]: number | null }>;
export async function quantilesOf(values: Float64Array, probabilities: readonly number[]): Promise<(number | null)[]> {
  if (values.length === 0) return probabilities.map(() => null);
  const ranks = probabilities.map((probability) => (values.length - 1) * probability);
  const found = await valuesAt(
    values,
    ranks.flatMap((rank) => [Math.floor(rank), Math.ceil(rank)]),
  );
  return ranks.map((rank, at) => between(found[2 * at] ?? NaN, found[2 * at + 1] ?? NaN, rank - Math.floor(rank)));
}

/** Computed from the nearer end, as numpy does. */
function between(low: number, high: number, share: number): number {
  const difference = high - low;
  if (!Number.isFinite(difference)) return low * (1 - share) + high * share;
  return share < 0.5 ? low + difference * share : high - difference * (1 - share);
}
