import type { Points } from '@esd/pages/explore-data';
import type { ExploreView } from '@esd/pages/explore-view';
import type { Spot } from './brush.ts';
import { markPath, type Mark } from './marks.ts';
import { niceDomain, type PlotScale, plotScale } from './scales.ts';

const MAX_CATEGORIES = 5;
/** The maximum distance from a pointer to the point that it selects. */
const NEAR = 24;

/** A point with its position in the plot. `at` is its index in the data. */
export interface Placed {
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly mark: Mark;
}

export const isNumber = (value: number | null | undefined): value is number => typeof value === 'number';

/** Counts the categories of the points, most frequent first. Categories beyond the fifth count as others. */
export function colorsOf({ color, x, y }: Points): {
  named: readonly { value: string; count: number }[];
  others: number;
  missing: number;
} {
  const counts = new Map<string | null, number>();
  for (const [at, value] of color.entries()) {
    if (isNumber(x[at]) && isNumber(y[at])) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const missing = counts.get(null) ?? 0;
  counts.delete(null);
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (String(a) < String(b) ? -1 : 1));
  const named = sorted.slice(0, MAX_CATEGORIES).map(([value, count]) => ({ value: String(value), count }));
  return { named, others: sorted.slice(MAX_CATEGORIES).reduce((sum, [, count]) => sum + count, 0), missing };
}

export function withoutY({ x, y }: Points): number {
  return y.filter((value, at) => value === null && x[at] !== null).length;
}

/** Computes the positions of the points, sorted from left to right. With `hasNone`, points without y get a row below the plot. */
export function placePoints(
  points: Points,
  { xScale, yScale }: ExploreView['scatter'],
  place: { left: number; right: number; top: number; bottom: number },
  hasNone: boolean,
): { xs: PlotScale; ys: PlotScale; placed: readonly Placed[] } {
  const range = (values: readonly (number | null)[], isLog: boolean): [number, number] => {
    let [min, max] = [Infinity, -Infinity];
    for (const value of values) {
      if (value === null || (isLog && value <= 0)) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return min <= max ? [min, max] : [1, 10];
  };
  const xs = plotScale(xScale, niceDomain(xScale, range(points.x, xScale === 'log')), [place.left, place.right]);
  const ys = plotScale(yScale, niceDomain(yScale, range(points.y, yScale === 'log')), [place.bottom, place.top]);
  const marks = new Map(colorsOf(points).named.map(({ value }, at): [string, Mark] => [value, markAt(at + 1)]));
  const placed: Placed[] = [];
  for (const [at, valueX] of points.x.entries()) {
    const valueY = points.y[at] ?? null;
    if (valueX === null || (xScale === 'log' && valueX <= 0)) continue;
    if (valueY === null || (yScale === 'log' && valueY <= 0)) {
      // The row is spread vertically by record number, so that the positions are reproducible.
      if (hasNone)
        placed.push({
          at,
          x: xs.at(valueX),
          y: place.bottom + 16 + ((points.recordId[at] ?? 0) % 7) * 2,
          mark: 'none',
        });
    } else {
      const color = points.color[at] ?? null;
      placed.push({
        at,
        x: xs.at(valueX),
        y: ys.at(valueY),
        mark: (color === null ? undefined : marks.get(color)) ?? 0,
      });
    }
  }
  return { xs, ys, placed: placed.sort((a, b) => a.x - b.x || a.y - b.y) };
}

export function pathsByMark(placed: readonly Placed[]): ReadonlyMap<Mark, readonly string[]> {
  const byMark = new Map<Mark, string[]>();
  for (const { x, y, mark } of placed) {
    const parts = byMark.get(mark) ?? [];
    parts.push(markPath(mark, x, y));
    byMark.set(mark, parts);
  }
  return byMark;
}

/** Returns the index of the point nearest to a pointer; undefined if no point is near. */
export function nearestTo(placed: readonly Placed[], [x, y]: Spot): number | undefined {
  let best: number | undefined;
  let least = NEAR * NEAR;
  for (const [at, point] of placed.entries()) {
    const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
}

/** Returns the mark of a category by its rank, starting at 1. */
export function markAt(number: number): Mark {
  const known: readonly Mark[] = [0, 1, 2, 3, 4, 5];
  return known[number] ?? 0;
}
