import { rangeOf, type SortedNumbers } from '../read-index/distribution.ts';
import { type Bins, binsOf } from './bins.ts';

/** Bins whose edges people can read. */
export interface ReadableBins extends Bins {
  /** Whether each bin has a single value, its lower edge. */
  eachValue: boolean;
}

const DIGITS = [1, 2, 2.5, 5, 10, 20, 25, 50];
/** Edges of a decade, each with other edges for a common value on one of them. */
const DECADES = [
  [
    [1, 2, 5],
    [1.5, 3, 7],
  ],
  [[1], [3]],
];
const DECADE = 10;
const TOLERANCE = 1e-9;

/**
 * Returns at most `limit` bins of numbers. If there are no more distinct numbers, each has its own bin. Otherwise, the width is 1, 2, 2.5,
 * or 5 times a power of ten; on a log scale beyond a decade, the edges are such numbers. The most common number is never on an edge.
 */
export function readableBins(numbers: SortedNumbers, limit: number, isLog: boolean): ReadableBins {
  const { values, counts } = numbers;
  const { min, max } = rangeOf(numbers) ?? { min: NaN, max: NaN };
  if (values.length <= limit) {
    return { ...binsAt(values.length === 0 ? [] : [...values, max], values.length), eachValue: true };
  }
  // The smallest of equally common numbers.
  const mostCommon = values[counts.indexOf(counts.reduce((most, count) => Math.max(most, count)))] ?? NaN;
  const candidates = (isLog && min > 0 && max > min * DECADE ? decadeEdges : stepEdges)(min, max, mostCommon, limit);
  // Steps of numbers near the precision or the range of a double are not exact.
  const isUsable = (edge: number, at: number, all: readonly number[]): boolean =>
    at === 0 ? edge <= min : edge > (all[at - 1] ?? edge) && (at < all.length - 1 || (edge >= max && edge < Infinity));
  const edges = candidates?.every(isUsable) ? candidates : undefined;
  return { ...(edges ? binsAt(edges, edges.length - 1) : binsOf(min, max, limit, isLog)), eachValue: false };
}

/** Returns the bins of numbers that lie between the first and the last edge. */
function binsAt(edges: readonly number[], count: number): Bins {
  const binOf = (value: number): number => {
    let bin = 0;
    while (bin < count - 1 && value >= (edges[bin + 1] ?? Infinity)) bin += 1;
    return bin;
  };
  return { edges, binOf };
}

function stepEdges(min: number, max: number, mostCommon: number, limit: number): number[] | undefined {
  const power = Math.floor(Math.log10((max - min) / limit));
  for (const digit of DIGITS) {
    const step = Number(`${digit}e${power}`);
    const place = mostCommon / step;
    // Half a step further, the most common number is in the middle of its bin.
    const shift = Math.abs(place - Math.round(place)) < TOLERANCE ? 0.5 : 0;
    // Parsed from text, because 3 * 0.1 is not exactly 0.3.
    const edgeAt = (at: number): number => Number(`${(at + shift) * digit}e${power}`);
    let [first, last] = [Math.ceil(min / step - shift), Math.floor(max / step - shift)];
    if (edgeAt(first) > min) first -= 1;
    if (edgeAt(last) < max) last += 1;
    if (last - first <= limit) return Array.from({ length: last - first + 1 }, (_, at) => edgeAt(first + at));
  }
  return undefined;
}

function decadeEdges(min: number, max: number, mostCommon: number, limit: number): number[] | undefined {
  const powers: number[] = [];
  for (let power = Math.floor(Math.log10(min)) - 1; power <= Math.ceil(Math.log10(max)) + 1; power += 1) {
    powers.push(power);
  }
  for (const choices of DECADES) {
    for (const digits of choices) {
      const all = powers.flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)));
      if (all.includes(mostCommon)) continue;
      const edges = all.slice(
        all.findLastIndex((edge) => edge <= min),
        all.findIndex((edge) => edge >= max) + 1,
      );
      if (edges.length - 1 <= limit) return edges;
      break;
    }
  }
  return undefined;
}
