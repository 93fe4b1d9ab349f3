/** Bins of a range of numbers: half open but the last. `edges` has one more than there are bins, and is empty for none. */
export interface Bins {
  edges: readonly number[];
  /** The bin of a number: -1 below them, `edges.length` above them. */
  binOf: (value: number) => number;
}

/** Bins of equal width, on a log scale of equal ratio, from `low` to `high`; one bin when both are equal, none when low is above high. */
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
    // A guess, that the edges themselves correct.
    const guess = Math.floor(((isLog ? Math.log(value) : value) - from) * perUnit);
    let bin = Math.min(count - 1, Math.max(0, guess || 0));
    while (bin > 0 && value < (edges[bin] ?? 0)) bin -= 1;
    while (bin < count - 1 && value >= (edges[bin + 1] ?? 0)) bin += 1;
    return bin;
  };
  return { edges, binOf };
}

function edgeAt(from: number, to: number, at: number, count: number): number {
  const edge = from + (at * (to - from)) / count;
  // The width of a range may be no finite number.
  return Number.isFinite(edge) ? edge : from * (1 - at / count) + to * (at / count);
}
