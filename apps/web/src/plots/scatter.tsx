import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Points } from '@esd/pages/explore-data';
import type { ExploreView } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';
import { type ChosenUnits, figureText, shown, unitOf, withUnit } from '../names.ts';
import { countText, numberText, rounded } from '../format.ts';
import { AxisBelow, AxisLeft, axisTitle, type PlotArea, TitleBelow, TitleLeft } from './axes.tsx';
import { type Spot, useBrush } from './brush.ts';
import { drawPoints } from './draw-points.ts';
import { type Mark, markClass, markPath } from './marks.ts';
import { type MedianBin, MIN_OF_BIN } from './median-bins.ts';
import { assignMarks, type NameMarks } from './name-marks.ts';
import {
  colorsOf,
  isNumber,
  LEFT,
  nearestTo,
  panelAreas,
  panelsOf,
  pathsByMark,
  type PlacedPanel,
  placePanels,
  withoutY,
} from './place-points.ts';
import { BELOW, drawingSize, type PlotScale } from './scales.ts';
import { useDrawnSize } from './use-drawn-size.ts';

type Axes = ExploreView['scatter'];

interface Props {
  points: Points;
  axes: Axes;
  units: ChosenUnits;
  /** The marks of the colored names; by default, in the order of their counts. */
  marks?: NameMarks | undefined;
  /** The size of the server's drawing. A plot with panels has its own height. */
  width: number;
  height: number;
  /** The CSS class of the size: the page contains a wide and a narrow plot. */
  className?: string;
  /** Follows the drawing. */
  legend?: ComponentChildren;
  /** Whether script runs. The canvas requires script. */
  isLive: boolean;
  onOpen?: ((recordId: number) => void) | undefined;
  /** Receives the brushed ranges in the units of the filters. */
  onRange?: ((x: readonly [number, number], y: readonly [number, number]) => void) | undefined;
}

/** Plots with at least this many points are drawn on a canvas instead of as SVG. */
const CANVAS_FROM = 2_000;
/** The width of the median of a single x value. */
const SINGLE = 14;
/** The width of a bold character of a panel title. */
const CHARACTER = 7.5;
/** The height of the row of records without a y value. */
const ROW = 36;

/**
 * A scatter plot of two quantities, colored by a category, with the median and the quartiles of y in ranges of x. If the points have the
 * column `panel`, each of its most frequent values has a panel. Without panels, records without a y value form a row below.
 */
export function Scatter(props: Props) {
  const { points, axes, units, marks, className = '', legend, isLive, onOpen, onRange } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<number | undefined>(undefined);
  const isSplit = points.panel !== undefined;
  const unplaced = useMemo(() => panelsOf(points, axes).panels, [points, axes]);
  const drawing = {
    width: props.width,
    height: isSplit ? panelAreas(unplaced.length, props.width).height : props.height,
  };
  const { width, height, scale, isScaled } = useDrawnSize(frame, drawing);
  const { none, panels, columns, placed } = useMemo(() => {
    const none = isSplit ? 0 : withoutY(points);
    const whole = { left: LEFT, right: width - 8, top: 10, bottom: height - BELOW - (none > 0 ? ROW : 0) };
    const { areas, columns } = isSplit ? panelAreas(unplaced.length, width, scale) : { areas: [whole], columns: 1 };
    const panels = placePanels(points, axes, marks ?? firstMarks(points), unplaced, areas, none > 0);
    return { none, panels, columns, placed: panels.flatMap(({ placedPoints }) => placedPoints) };
  }, [points, axes, marks, unplaced, isSplit, width, height, scale]);
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
  const { brushed, handlers } = useBrush(
    { width, height },
    {
      onHover: (at) => setCursor(nearestTo(placed, at)),
      onClick: (at) => open(nearestTo(placed, at)),
      onBrush: (from, to) => {
        const panel = panels.length === 1 ? panels[0] : panels.find(({ place }) => isInside(from, place));
        if (!panel) return;
        const { xs, ys, place } = panel;
        // The row without y values is below the axis.
        const above = (y: number): number => Math.min(place.bottom, y);
        onRange?.(rangeBetween(xs, from[0], to[0]), rangeBetween(ys, above(from[1]), above(to[1])));
      },
    },
  );
  const axisX = { feature: axes.x, scale: axes.xScale, units };
  const axisY = { feature: axes.y, scale: axes.yScale, units };
  const label = `${axisTitle(axisY)} against ${axisTitle(axisX)}: ${countText(points.placed, 'experiment')}. The table lists them.`;
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
        class={isScaled ? 'plot scatter scaled' : 'plot scatter'}
        {...drawingSize(width, height)}
        role="img"
        aria-label={label}
        {...handlers}
      >
        {panels.map((panel, at) => (
          <g key={panel.name}>
            <AxisBelow
              axis={{ ...axisX, places: panel.xs }}
              place={panel.place}
              tickTop={isSplit ? panel.place.bottom + 15 : height - 27}
              count={width > 600 && !isSplit ? 8 : 5}
              detail={!isSplit ? 'title' : at + columns < panels.length ? 'lines' : 'numbers'}
            />
            <AxisLeft
              axis={{ ...axisY, places: panel.ys }}
              place={panel.place}
              count={isSplit ? 4 : 7}
              detail={!isSplit ? 'title' : at % columns === 0 ? 'numbers' : 'lines'}
            />
            {panel.name !== undefined && <PanelTitle panel={panel} />}
            {panel.bins.map((bin) => (
              <Quartiles key={bin.from} bin={bin} panel={panel} />
            ))}
          </g>
        ))}
        {isSplit && (
          <>
            <TitleBelow axis={axisX} x={(LEFT + width - 8) / 2} y={height - 6} />
            <TitleLeft axis={axisY} y={(height - BELOW) / 2} />
          </>
        )}
        {none > 0 && panels.map(({ place }) => <RowWithoutY key="none" place={place} />)}
        <g class={isOnCanvas ? 'points on-canvas' : 'points'}>
          {[...paths].flatMap(([mark, layers]) =>
            layers.map((path, at) => <path key={`${mark} ${at}`} class={markClass(mark)} d={path} />),
          )}
        </g>
        {panels.flatMap((panel) =>
          panel.bins.map((bin) => (
            <path key={`${panel.name ?? ''} ${bin.from}`} class="bin-median" d={medianPath(bin, panel)} />
          )),
        )}
        {current && <circle class="cursor" cx={current.x} cy={current.y} r={7} />}
        {brushed && <rect class="brush" {...brushed} />}
      </svg>
      {legend}
      <p class="small muted cursor-line" aria-live="polite">
        {current && pointSentence(points, current.at, axes, units)}
      </p>
    </div>
  );
}

function firstMarks(points: Points): NameMarks {
  return assignMarks(
    colorsOf(points).named.map(({ value }) => value),
    new Map(),
  );
}

function PanelTitle({ panel: { name = '', place, placed, withoutY: none } }: { panel: PlacedPanel }) {
  const room = Math.floor((place.right - place.left) / CHARACTER);
  return (
    <>
      <text class="panel-title" x={place.left.toFixed(1)} y={place.top - 20}>
        {name.length > room ? `${name.slice(0, room - 1)}…` : name}
      </text>
      <text x={place.left.toFixed(1)} y={place.top - 6}>
        {`n = ${numberText(placed)}${none > 0 ? `, × ${numberText(none)}` : ''}`}
      </text>
    </>
  );
}

/** Returns the left and the right end of a bin in a plot. A bin of a single value has a fixed width. */
function endsOf({ from, to }: MedianBin, { xs, place }: PlacedPanel): readonly [number, number] {
  const [left, right] = [xs.at(from), xs.at(to)];
  return from === to
    ? [Math.max(place.left, left - SINGLE / 2), Math.min(place.right, right + SINGLE / 2)]
    : [left + 1, right - 1];
}

function Quartiles({ bin, panel }: { bin: MedianBin; panel: PlacedPanel }) {
  const [left, right] = endsOf(bin, panel);
  const [top, bottom] = [panel.ys.at(bin.q75), panel.ys.at(bin.q25)];
  return (
    <rect
      class="quartiles"
      x={left.toFixed(1)}
      y={top.toFixed(1)}
      width={Math.max(1, right - left).toFixed(1)}
      height={Math.max(1, bottom - top).toFixed(1)}
    />
  );
}

function medianPath(bin: MedianBin, panel: PlacedPanel): string {
  const [left, right] = endsOf(bin, panel);
  return `M${left.toFixed(1)} ${panel.ys.at(bin.median).toFixed(1)}H${right.toFixed(1)}`;
}

function isInside([x, y]: Spot, { left, right, top, bottom }: PlotArea): boolean {
  return x >= left && x <= right && y >= top && y <= bottom;
}

function RowWithoutY({ place: { left, right, bottom } }: { place: PlotArea }) {
  return (
    <>
      <path class="grid-line" d={`M${left} ${bottom + 10}H${right}M${left} ${bottom + 34}H${right}`} />
      <text x={left - 7} y={bottom + 26} text-anchor="end">
        none
      </text>
    </>
  );
}

interface LegendProps {
  points: Points;
  noneText: string;
  hasMedians?: boolean;
  /** As in Scatter. */
  marks?: NameMarks | undefined;
}

export function ScatterLegend({ points, noneText, hasMedians = false, marks = firstMarks(points) }: LegendProps) {
  const { named, others, missing } = colorsOf(points);
  const none = withoutY(points);
  const rows: readonly (readonly [Mark, string, number])[] = [
    ...named.map(({ value, count }) => [marks.get(value) ?? 0, value, count] as const),
    ...(others > 0 ? [[0, 'other', others] as const] : []),
    ...(missing > 0 ? [[0, 'not reported', missing] as const] : []),
    ...(none > 0 ? [['none', noneText, none] as const] : []),
  ];
  return (
    <ul class="legend" aria-label="Legend">
      {rows.map(([mark, text, count]) => (
        <li key={`${mark} ${text}`}>
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path class={markClass(mark)} d={markPath(mark, 6, 6)} />
          </svg>
          {`${text} (${numberText(count)})`}
        </li>
      ))}
      {hasMedians && (
        <li>
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <rect class="quartiles" x="0" y="1" width="12" height="10" />
            <path class="bin-median" d="M0 6H12" />
          </svg>
          {`median and quartiles, from ${MIN_OF_BIN} experiments`}
        </li>
      )}
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
  const { recordId, x, y, color, panel } = points;
  const names = [...(panel ? [panel[at]] : []), color[at]].map((name) => name ?? 'not reported');
  return `Record ${recordId[at] ?? ''}, ${text(axes.x, x[at])}, ${text(axes.y, y[at])}, ${names.join(', ')}`;
}
