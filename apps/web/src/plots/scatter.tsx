import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Points } from '@esd/pages/explore-data';
import type { ExploreView } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';
import { type ChosenUnits, figureText, shown, unitOf, withUnit } from '../names.ts';
import { countText, numberText } from '../format.ts';
import { AxisBelow, AxisLeft, axisTitle } from './axes.tsx';
import { drawPoints } from './draw-points.ts';
import { markPath, type Mark } from './marks.ts';
import { niceDomain, type PlotScale, plotScale } from './scales.ts';

type Axes = ExploreView['scatter'];

interface Props {
  points: Points;
  axes: Axes;
  units: ChosenUnits;
  width: number;
  height: number;
  /** Which of several sizes it is. */
  className?: string;
  /** Whether script runs: only then there is a canvas. */
  isLive: boolean;
  onOpen?: ((recordId: number) => void) | undefined;
  /** Of what was brushed, in the units of the filters. */
  onRange?: ((x: readonly [number, number], y: readonly [number, number]) => void) | undefined;
}

/** From so many points on they are drawn on a canvas. */
const CANVAS_FROM = 2_000;
const MAX_CATEGORIES = 5;
const NEAR = 24;
const CLICK = 4;

/** A point on its place. */
interface Placed {
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly mark: Mark;
}

const isNumber = (value: number | null | undefined): value is number => typeof value === 'number';

/** The colors of points, most first; beyond five they are one. */
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

/** How many points have no value on the y axis. */
export function withoutY({ x, y }: Points): number {
  return y.filter((value, at) => value === null && x[at] !== null).length;
}

/** Records by two quantities, colored by a category. Those without a value on the y axis have a row of their own below. */
export function Scatter({ points, axes, units, width, height, className = '', isLive, onOpen, onRange }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const drag = useRef<readonly [number, number] | undefined>(undefined);
  const [cursor, setCursor] = useState<number | undefined>(undefined);
  const [brushed, setBrushed] = useState<readonly [number, number, number, number] | undefined>(undefined);
  const { none, place, xs, ys, placed } = useMemo(() => {
    const none = withoutY(points);
    const place = { left: 52, right: width - 8, top: 4, bottom: height - (none > 0 ? 78 : 42) };
    return { none, place, ...placePoints(points, axes, place, none > 0) };
  }, [points, axes, width, height]);
  const isOnCanvas = isLive && placed.length >= CANVAS_FROM;
  const paths = useMemo(() => {
    const byMark = new Map<Mark, string[]>();
    for (const { x, y, mark } of placed) {
      const parts = byMark.get(mark) ?? [];
      parts.push(markPath(mark, x, y));
      byMark.set(mark, parts);
    }
    return byMark;
  }, [placed]);
  useEffect(() => {
    const { current } = canvas;
    if (!isOnCanvas || !current || !frame.current) return;
    return drawPoints(current, frame.current, { width, height }, paths);
  }, [isOnCanvas, paths, width, height]);

  const current = cursor === undefined ? undefined : placed[cursor];
  const placeOf = ({
    clientX,
    clientY,
    currentTarget,
  }: {
    clientX: number;
    clientY: number;
    currentTarget: SVGSVGElement;
  }): readonly [number, number] => {
    const box = currentTarget.getBoundingClientRect();
    return [((clientX - box.left) / box.width) * width, ((clientY - box.top) / box.height) * height];
  };
  const nearestTo = ([x, y]: readonly [number, number]): number | undefined => {
    let best: number | undefined;
    let least = NEAR * NEAR;
    for (const [at, point] of placed.entries()) {
      const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (distance < least) [best, least] = [at, distance];
    }
    return best;
  };
  const open = (at: number | undefined): void => {
    const recordId = at === undefined ? undefined : points.recordId[placed[at]?.at ?? -1];
    if (recordId !== undefined) onOpen?.(recordId);
  };
  const commit = (from: readonly [number, number], to: readonly [number, number]): void => {
    const range = (a: number, b: number): [number, number] => {
      const [low, high] = a < b ? [a, b] : [b, a];
      return [Number(low.toPrecision(3)), Number(high.toPrecision(3))];
    };
    const bottom = (y: number): number => Math.min(place.bottom, y);
    onRange?.(
      range(xs.valueAt(from[0]), xs.valueAt(to[0])),
      range(ys.valueAt(bottom(from[1])), ys.valueAt(bottom(to[1]))),
    );
  };
  const label = `${axisTitle({ feature: axes.x, scale: axes.xScale, units })} against ${axisTitle({ feature: axes.y, scale: axes.yScale, units })}: ${countText(points.placed, 'experiment')}. The table lists records.`;
  return (
    <div
      class={`plot-keys ${className}`}
      ref={frame}
      role="group"
      tabIndex={0}
      aria-label="Points of the plot: left and right arrow keys move between them, Enter opens the record"
      onKeyDown={(event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        if (event.key === 'Enter') open(cursor);
        else if (event.key === 'Escape') setCursor(undefined);
        if (step === 0 || placed.length === 0) return;
        event.preventDefault();
        setCursor(Math.min(placed.length - 1, Math.max(0, (cursor ?? (step > 0 ? -1 : placed.length)) + step)));
      }}
    >
      {isOnCanvas && <canvas ref={canvas} class="points-canvas" />}
      <svg
        class="plot scatter"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={label}
        onPointerDown={(event) => {
          if (event.button === 0 && event.pointerType !== 'touch') drag.current = placeOf(event);
        }}
        onPointerMove={(event) => {
          const at = placeOf(event);
          const from = drag.current;
          if (from && Math.hypot(at[0] - from[0], at[1] - from[1]) > CLICK) {
            setBrushed([
              Math.min(from[0], at[0]),
              Math.min(from[1], at[1]),
              Math.abs(at[0] - from[0]),
              Math.abs(at[1] - from[1]),
            ]);
          } else if (!from) setCursor(nearestTo(at));
        }}
        onPointerUp={(event) => {
          const from = drag.current;
          drag.current = undefined;
          setBrushed(undefined);
          if (!from) return;
          const at = placeOf(event);
          if (brushed) commit(from, at);
          else open(nearestTo(at));
        }}
        onPointerLeave={() => {
          drag.current = undefined;
          setBrushed(undefined);
        }}
      >
        <AxisBelow
          axis={{ feature: axes.x, scale: axes.xScale, places: xs, units }}
          place={place}
          tickTop={height - 26}
          count={width > 600 ? 8 : 5}
          hasGrid
        />
        <AxisLeft axis={{ feature: axes.y, scale: axes.yScale, places: ys, units }} place={place} count={7} hasGrid />
        {none > 0 && (
          <>
            <path
              class="grid-line"
              d={`M${place.left} ${place.bottom + 10}H${place.right}M${place.left} ${place.bottom + 34}H${place.right}`}
            />
            <text x={place.left - 7} y={place.bottom + 26} text-anchor="end">
              none
            </text>
          </>
        )}
        <g class={isOnCanvas ? 'on-canvas' : undefined}>
          {[...paths].map(([mark, parts]) => (
            <path key={mark} class={`mark-${mark}`} d={parts.join('')} />
          ))}
        </g>
        {current && <circle class="cursor" cx={current.x} cy={current.y} r={7} />}
        {brushed && <rect class="brush" x={brushed[0]} y={brushed[1]} width={brushed[2]} height={brushed[3]} />}
      </svg>
      <p class="small muted cursor-line" aria-live="polite">
        {current && pointSentence(points, current.at, axes, units)}
      </p>
    </div>
  );
}

/** Which mark stands for what. */
export function ScatterLegend({ points, noneText }: { points: Points; noneText: string }) {
  const { named, others, missing } = colorsOf(points);
  const none = withoutY(points);
  const rows: readonly (readonly [Mark, string, number])[] = [
    ...named.map(({ value, count }, at) => [markAt(at + 1), value, count] as const),
    ...(others > 0 ? [[0, 'other', others] as const] : []),
    ...(missing > 0 ? [[0, 'not reported', missing] as const] : []),
    ...(none > 0 ? [['none', noneText, none] as const] : []),
  ];
  return (
    <ul class="legend" aria-label="Legend">
      {rows.map(([mark, text, count]) => (
        <li key={`${mark} ${text}`}>
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path class={`mark-${mark}`} d={markPath(mark, 6, 6)} />
          </svg>
          {text} ({numberText(count)})
        </li>
      ))}
    </ul>
  );
}

function pointSentence(points: Points, at: number, axes: Axes, units: ChosenUnits): string {
  const text = (feature: Feature, value: number | null | undefined): string =>
    !isNumber(value) ? 'not reported' : withUnit(figureText(shown(feature, value, units)), unitOf(feature, units));
  const { recordId, x, y, color } = points;
  return `Record ${recordId[at] ?? ''}, ${text(axes.x, x[at])}, ${text(axes.y, y[at])}, ${color[at] ?? 'not reported'}`;
}

function placePoints(
  points: Points,
  { xScale, yScale }: Axes,
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
      // Points of the row are spread a little, the same each time.
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

function markAt(number: number): Mark {
  const known: readonly Mark[] = [0, 1, 2, 3, 4, 5];
  return known[number] ?? 0;
}
