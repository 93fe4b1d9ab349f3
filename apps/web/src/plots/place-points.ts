import type { Points } from '@esd/pages/explore-data';
import type { ExploreView } from '@esd/pages/explore-view';
import type { PlotArea } from './axes.tsx';
import type { Spot } from './brush.ts';
import { type Mark, markPath } from './marks.ts';
import { binRanges, type MedianBin, medianBins } from './median-bins.ts';
import type { NameMarks } from './name-marks.ts';
import { BELOW, endsOf, niceDomain, type PlotScale, plotScale } from './scales.ts';

type Axes = ExploreView['scatter'];

const MAX_COLORS = 5;
export const MAX_PANELS = 6;
/** The maximum distance from a pointer to the point that it selects. */
const NEAR = 24;
/** The maximum distance of a point from its position, if other points have the same position. */
const SPREAD = 9;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const LAYERS = 8;

/** A point with its position in the plot. `at` is its index in the data. */
export interface Placed {
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly mark: Mark;
}

/** A part of a plot with its own points. A plot without panels is one panel without a name. */
export interface Panel {
  readonly name: string | undefined;
  /** The indices of its records in the data. */
  readonly indices: readonly number[];
  /** The number of records with both values, and of those without a y value. */
  readonly placed: number;
  readonly withoutY: number;
  readonly bins: readonly MedianBin[];
}

export const isNumber = (value: number | null | undefined): value is number => typeof value === 'number';

interface NameCounts {
  readonly named: readonly { value: string; count: number }[];
  /** The number of points with other names, and without a name. */
  readonly others: number;
  readonly missing: number;
  readonly distinct: number;
}

/** Counts the points of each name, most frequent first. Names beyond the maximum count as others. */
function countNames({ x, y }: Points, names: readonly (string | null)[], max: number): NameCounts {
  const counts = new Map<string | null, number>();
  for (const [at, value] of names.entries()) {
    if (isNumber(x[at]) && isNumber(y[at])) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const missing = counts.get(null) ?? 0;
  counts.delete(null);
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (String(a) < String(b) ? -1 : 1));
  const named = sorted.slice(0, max).map(([value, count]) => ({ value: String(value), count }));
  const others = sorted.slice(max).reduce((sum, [, count]) => sum + count, 0);
  return { named, others, missing, distinct: sorted.length };
}

export function colorsOf(points: Points): NameCounts {
  return countNames(points, points.color, MAX_COLORS);
}

export function withoutY({ x, y }: Points): number {
  return y.filter((value, at) => value === null && x[at] !== null).length;
}

/** Groups the points by panel, with the medians of each. `distinct` is the number of panels without a limit. */
export function panelsOf(points: Points, { xScale, yScale }: Axes): { panels: readonly Panel[]; distinct: number } {
  const { x, y, panel } = points;
  const pairs = x.map((valueX, at): readonly [number, number] | undefined => {
    const valueY = y[at];
    return isPlaced(valueX, xScale) && isPlaced(valueY, yScale) ? [valueX, valueY] : undefined;
  });
  const pairsOf = (indices: readonly number[]) => indices.map((at) => pairs[at]).filter((pair) => pair !== undefined);
  const ranges = binRanges(
    xScale,
    pairsOf([...x.keys()]).map(([valueX]) => valueX),
  );
  const panelOf = (name: string | undefined, indices: readonly number[]): Panel => ({
    name,
    indices,
    placed: indices.filter((at) => isPlaced(x[at], xScale) && isPlaced(y[at], yScale)).length,
    withoutY: indices.filter((at) => isNumber(x[at]) && !isNumber(y[at])).length,
    bins: medianBins(ranges, pairsOf(indices)),
  });
  if (!panel) return { panels: [panelOf(undefined, [...x.keys()])], distinct: 1 };
  const { named, distinct } = countNames(points, panel, MAX_PANELS);
  const indicesOf = new Map(named.map(({ value }): [string, number[]] => [value, []]));
  for (const [at, name] of panel.entries()) if (name !== null) indicesOf.get(name)?.push(at);
  return { panels: [...indicesOf].map(([name, indices]) => panelOf(name, indices)), distinct };
}

const isPlaced = (value: number | null | undefined, scale: Axes['xScale']): value is number =>
  isNumber(value) && (scale !== 'log' || value > 0);

/** A panel with the positions of its points, sorted from left to right. */
export interface PlacedPanel extends Panel {
  readonly place: PlotArea;
  readonly xs: PlotScale;
  readonly ys: PlotScale;
  readonly placedPoints: readonly Placed[];
}

/**
 * Computes the positions of the points in each panel. All panels have the same scales. With `hasNone`, points without y get a row below
 * their panel.
 */
export function placePanels(
  points: Points,
  axes: Axes,
  marks: NameMarks,
  panels: readonly Panel[],
  areas: readonly PlotArea[],
  hasNone: boolean,
): readonly PlacedPanel[] {
  const { xScale, yScale } = axes;
  const domainOf = (values: readonly (number | null)[], scale: Axes['xScale']): [number, number] => {
    const placed = values.filter((value) => isPlaced(value, scale));
    return niceDomain(scale, placed.length === 0 ? [1, 10] : endsOf(placed));
  };
  const [domainX, domainY] = [domainOf(points.x, xScale), domainOf(points.y, yScale)];
  return panels.map((panel, number) => {
    const place = areas[number] ?? { left: 0, right: 0, top: 0, bottom: 0 };
    const xs = plotScale(xScale, domainX, [place.left, place.right]);
    const ys = plotScale(yScale, domainY, [place.bottom, place.top]);
    const placed: Placed[] = [];
    const missing: Placed[] = [];
    for (const at of panel.indices) {
      const [valueX, valueY] = [points.x[at], points.y[at]];
      if (!isPlaced(valueX, xScale)) continue;
      const x = xs.at(valueX);
      if (isPlaced(valueY, yScale)) {
        const color = points.color[at] ?? null;
        placed.push({ at, x, y: ys.at(valueY), mark: (color === null ? undefined : marks.get(color)) ?? 0 });
      } else if (hasNone) {
        missing.push({ at, x, y: place.bottom + 22, mark: 'none' });
      }
    }
    const placedPoints = [...spread(placed), ...spread(missing)].sort((a, b) => a.x - b.x || a.y - b.y);
    return { ...panel, place, xs, ys, placedPoints };
  });
}

/** Moves points with the same position apart, onto a spiral in the order of the data, so that a reader can count them. */
function spread(placed: readonly Placed[]): readonly Placed[] {
  const keyOf = ({ x, y }: Placed): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const counts = new Map<string, number>();
  for (const point of placed) counts.set(keyOf(point), (counts.get(keyOf(point)) ?? 0) + 1);
  const before = new Map<string, number>();
  return placed.map((point) => {
    const key = keyOf(point);
    const number = before.get(key) ?? 0;
    before.set(key, number + 1);
    const step = Math.min(2.4, SPREAD / Math.sqrt(counts.get(key) ?? 1));
    const [radius, angle] = [step * Math.sqrt(number), number * GOLDEN_ANGLE];
    return { ...point, x: point.x + radius * Math.cos(angle), y: point.y + radius * Math.sin(angle) };
  });
}

/** Returns the paths of the points by mark, in layers. Neighbors are in different layers, so that they show through each other. */
export function pathsByMark(placed: readonly Placed[]): ReadonlyMap<Mark, readonly string[]> {
  const byMark = new Map<Mark, string[]>();
  for (const [at, { x, y, mark }] of placed.entries()) {
    const layers = byMark.get(mark) ?? new Array<string>(LAYERS).fill('');
    layers[at % LAYERS] = `${layers[at % LAYERS] ?? ''}${markPath(mark, x, y)}`;
    byMark.set(mark, layers);
  }
  return new Map([...byMark].map(([mark, layers]) => [mark, layers.filter((layer) => layer !== '')]));
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

/** The left end of a plot; the title and the numbers of its axis are beyond. */
export const LEFT = 64;
const GAP = 22;
const TITLE = 38;

/**
 * Returns the areas of the panels of a plot, and its height. Panels fill rows from the left. A plot that is larger than the server's
 * drawing by `scale` has the same rows.
 */
export function panelAreas(
  count: number,
  width: number,
  scale = 1,
): { areas: readonly PlotArea[]; columns: number; height: number } {
  const drawnWidth = width / scale;
  const columns = drawnWidth >= 600 ? 3 : drawnWidth >= 300 ? 2 : 1;
  const rows = Math.ceil(count / columns);
  const widthOf = (all: number): number => (all - LEFT - 8 - GAP * (columns - 1)) / columns;
  const panelWidth = widthOf(width);
  const drawnHeight = Math.round(Math.min(180, Math.max(110, widthOf(drawnWidth) * 0.8)));
  const height = Math.round((rows * (drawnHeight + TITLE) + BELOW) * scale);
  const panelHeight = rows === 0 ? 0 : (height - BELOW) / rows - TITLE;
  const areas = Array.from({ length: count }, (_, at) => {
    const left = LEFT + (at % columns) * (panelWidth + GAP);
    const top = Math.floor(at / columns) * (panelHeight + TITLE) + TITLE;
    return { left, right: left + panelWidth, top, bottom: top + panelHeight };
  });
  return { areas, columns, height };
}
