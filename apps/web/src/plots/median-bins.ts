import { bisectRight, quantileSorted } from 'd3-array';
import type { Scale } from '@esd/pages/explore-view';
import { niceDomain, ticksOf } from './scales.ts';

/** The y values of the points whose x value is in a range. `from` and `to` are equal for a single x value. */
export interface MedianBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly q25: number;
  readonly median: number;
  readonly q75: number;
}

/** Bins with fewer points have no median. */
export const MIN_OF_BIN = 5;
const MAX_SINGLE_VALUES = 15;
/** Numbers of round numbers on the axis, the finer one first. */
const TICKS = [10, 6];

/**
 * Returns the ranges of x values that get a median: one for each value if there are at most 15 different values; otherwise between or
 * around round numbers, whichever separates the fewest equal values from their neighbors. No range begins at the most frequent value.
 */
export function binRanges(scale: Scale, values: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a], [b]) => a - b);
  if (sorted.length <= MAX_SINGLE_VALUES) return sorted.map(([value]) => [value, value]);
  const [first = [0, 0]] = sorted.toSorted(([a, n], [b, m]) => m - n || a - b);
  const domain = niceDomain(scale, [sorted[0]?.[0] ?? 0, sorted.at(-1)?.[0] ?? 0]);
  const onEdges = (edges: readonly number[]): number =>
    edges.slice(1, -1).reduce((sum, edge) => sum + (counts.get(edge) ?? 0), 0);
  const [edges = []] = TICKS.flatMap((count) => edgesOf(scale, domain, count))
    .filter((candidate) => !candidate.slice(1, -1).includes(first[0]))
    .toSorted((a, b) => onEdges(a) - onEdges(b));
  return edges.slice(1).map((to, at) => [edges[at] ?? to, to]);
}

/** Returns the round numbers of a domain, and the numbers in the middle between them, each with the ends of the domain. */
function edgesOf(scale: Scale, domain: readonly [number, number], count: number): readonly (readonly number[])[] {
  const round = [...new Set([domain[0], ...ticksOf(scale, domain, count), domain[1]])];
  const between = round.slice(1).map((to, at) => {
    const from = round[at] ?? to;
    return scale === 'log' ? Math.sqrt(from * to) : (from + to) / 2;
  });
  return [round, [domain[0], ...between, domain[1]]];
}

/** Computes the quartiles (type 7) of the y values in each range with at least 5 points. A range contains its start, the last one also its end. */
export function medianBins(
  ranges: readonly (readonly [from: number, to: number])[],
  points: readonly (readonly [x: number, y: number])[],
): readonly MedianBin[] {
  const starts = ranges.map(([from]) => from);
  const values = ranges.map((): number[] => []);
  for (const [x, y] of points) values[bisectRight(starts, x) - 1]?.push(y);
  return ranges.flatMap(([from, to], at) => {
    const sorted = (values[at] ?? []).toSorted((a, b) => a - b);
    const [q25, median, q75] = [0.25, 0.5, 0.75].map((share) => quantileSorted(sorted, share));
    if (sorted.length < MIN_OF_BIN || q25 === undefined || median === undefined || q75 === undefined) return [];
    return [{ from, to, count: sorted.length, q25, median, q75 }];
  });
}
