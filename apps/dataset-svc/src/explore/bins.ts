import type { SortedNumbers } from '../read-index/distribution.ts';

/** Bins of a range of numbers: half-open, except the last. `edges` has one item more than there are bins; empty without bins. */
export interface Bins {
  edges: readonly number[];
  /** Returns the bin of a number: −1 below all bins, `edges.length` above. */
  binOf: (value: number) => number;
}

/** Returns bins of equal width (equal ratio on a log scale) from `low` to `high`: one bin if both are equal, none if `low > high`. */
export function binsOf(low: number, high: number, count: number, isLog: boolean): Bins {
  if (!(low <= high)) return { edges: [], binOf: () => -1 };
  if (low === high) {
    const binOf = (value: number): number => (value < low ? -1 : value > high ? 2 : 0);
    return { edges: [low, high], binOf };
  }
  const [from, to] = isLog ? [Math.log(low), Math.log(high)] : [low, high];
  const edges = Array.from({ length: count + 1 }, (_, at) => {
    if (at === 0) return low;
    if (at === count) return high;
    const edge = edgeAt(from, to, at, count);
    return Math.min(high, Math.max(low, isLog ? Math.exp(edge) : edge));
  });
  const perUnit = count / (to - from);
  const binOf = (value: number): number => {
    if (value < low) return -1;
    if (value > high) return edges.length;
    const guess = Math.floor(((isLog ? Math.log(value) : value) - from) * perUnit);
    let bin = Math.min(count - 1, Math.max(0, guess || 0));
    while (bin > 0 && value < (edges[bin] ?? 0)) bin -= 1;
    while (bin < count - 1 && value >= (edges[bin + 1] ?? 0)) bin += 1;
    return bin;
  };
  return { edges, binOf };
}

/** The bins of an axis. Without `min` or `max`, they begin or end at the first or last number; on a log scale, numbers are above 0. */
export interface BinnedAxis {
  bins: number;
  isLog: boolean;
  min?: number | undefined;
  max?: number | undefined;
}

/** Returns the bins of an axis with numbers; none without numbers. */
export function binsOfNumbers({ values }: SortedNumbers, { bins, isLog, min, max }: BinnedAxis): Bins {
  const smallest = values.find((value) => value > 0 || !isLog);
  if (smallest === undefined) return binsOf(1, 0, bins, isLog);
  return binsOf(min ?? smallest, max ?? values.at(-1) ?? smallest, bins, isLog);
}

function edgeAt(from: number, to: number, at: number, count: number): number {
  const edge = from + (at * (to - from)) / count;
  // The width of a range may be infinite.
  return Number.isFinite(edge) ? edge : from * (1 - at / count) + to * (at / count);
}
