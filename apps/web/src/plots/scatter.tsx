import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Points } from '@esd/pages/explore-data';
import type { ExploreView } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';
import { type ChosenUnits, figureText, shown, unitOf, withUnit } from '../names.ts';
import { countText, numberText, rounded } from '../format.ts';
import { AxisBelow, AxisLeft, axisTitle } from './axes.tsx';
import { useBrush } from './brush.ts';
import { drawPoints } from './draw-points.ts';
import { markPath, type Mark } from './marks.ts';
import { colorsOf, isNumber, markAt, nearestTo, pathsByMark, placePoints, withoutY } from './place-points.ts';
import type { PlotScale } from './scales.ts';

type Axes = ExploreView['scatter'];

interface Props {
  points: Points;
  axes: Axes;
  units: ChosenUnits;
  width: number;
  height: number;
  /** The CSS class of the size: the page contains a wide and a narrow plot. */
  className?: string;
  /** Whether script runs. The canvas requires script. */
  isLive: boolean;
  onOpen?: ((recordId: number) => void) | undefined;
  /** Receives the brushed ranges in the units of the filters. */
  onRange?: ((x: readonly [number, number], y: readonly [number, number]) => void) | undefined;
}

/** Plots with at least this many points are drawn on a canvas instead of as SVG. */
const CANVAS_FROM = 2_000;

/** A scatter plot of two quantities, colored by a category. Records without a y value form a separate row below. */
export function Scatter({ points, axes, units, width, height, className = '', isLive, onOpen, onRange }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<number | undefined>(undefined);
  const { none, place, xs, ys, placed } = useMemo(() => {
    const none = withoutY(points);
    const place = { left: 52, right: width - 8, top: 4, bottom: height - (none > 0 ? 78 : 42) };
    return { none, place, ...placePoints(points, axes, place, none > 0) };
  }, [points, axes, width, height]);
  const isOnCanvas = isLive && placed.length >= CANVAS_FROM;
  const paths = useMemo(() => pathsByMark(placed), [placed]);
  useEffect(() => {
    const { current } = canvas;
    if (!isOnCanvas || !current || !frame.current) return;
    return drawPoints(current, frame.current, { width, height }, paths);
  }, [isOnCanvas, paths, width, height]);

  const current = cursor === undefined ? undefined : placed[cursor];
  const open = (at: number | undefined): void => {
    const recordId = at === undefined ? undefined : points.recordId[placed[at]?.at ?? -1];
    if (recordId !== undefined) onOpen?.(recordId);
  };
  // The row without y values is below the axis.
  const above = (y: number): number => Math.min(place.bottom, y);
  const { brushed, handlers } = useBrush(
    { width, height },
    {
      onHover: (at) => setCursor(nearestTo(placed, at)),
      onClick: (at) => open(nearestTo(placed, at)),
      onBrush: (from, to) =>
        onRange?.(rangeBetween(xs, from[0], to[0]), rangeBetween(ys, above(from[1]), above(to[1]))),
    },
  );
  const label = `${axisTitle({ feature: axes.y, scale: axes.yScale, units })} against ${axisTitle({ feature: axes.x, scale: axes.xScale, units })}: ${countText(points.placed, 'experiment')}. The table lists them.`;
  return (
    <div
      class={`plot-keys ${className}`}
      ref={frame}
      role="group"
      tabIndex={0}
      aria-label="Points of the plot. The left and right arrow keys move between points, and Enter opens the record."
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
        {...handlers}
      >
        <AxisBelow
          axis={{ feature: axes.x, scale: axes.xScale, places: xs, units }}
          place={place}
          tickTop={height - 26}
          count={width > 600 ? 8 : 5}
          hasGrid
        />
        <AxisLeft axis={{ feature: axes.y, scale: axes.yScale, places: ys, units }} place={place} count={7} hasGrid />
        {none > 0 && <RowWithoutY place={place} />}
        <g class={isOnCanvas ? 'on-canvas' : undefined}>
          {[...paths].map(([mark, parts]) => (
            <path key={mark} class={`mark-${mark}`} d={parts.join('')} />
          ))}
        </g>
        {current && <circle class="cursor" cx={current.x} cy={current.y} r={7} />}
        {brushed && <rect class="brush" {...brushed} />}
      </svg>
      <p class="small muted cursor-line" aria-live="polite">
        {current && pointSentence(points, current.at, axes, units)}
      </p>
    </div>
  );
}

function RowWithoutY({ place: { left, right, bottom } }: { place: { left: number; right: number; bottom: number } }) {
  return (
    <>
      <path class="grid-line" d={`M${left} ${bottom + 10}H${right}M${left} ${bottom + 34}H${right}`} />
      <text x={left - 7} y={bottom + 26} text-anchor="end">
        none
      </text>
    </>
  );
}

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

/** Returns the range of values between two positions of an axis, rounded to the precision of a position on the screen. */
function rangeBetween(scale: PlotScale, from: number, to: number): readonly [number, number] {
  const [a, b] = [rounded(scale.valueAt(from)), rounded(scale.valueAt(to))];
  return a < b ? [a, b] : [b, a];
}

function pointSentence(points: Points, at: number, axes: Axes, units: ChosenUnits): string {
  const text = (feature: Feature, value: number | null | undefined): string =>
    !isNumber(value) ? 'not reported' : withUnit(figureText(shown(feature, value, units)), unitOf(feature, units));
  const { recordId, x, y, color } = points;
  return `Record ${recordId[at] ?? ''}, ${text(axes.x, x[at])}, ${text(axes.y, y[at])}, ${color[at] ?? 'not reported'}`;
}
