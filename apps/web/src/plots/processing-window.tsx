import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Window, WindowCell } from '@esd/pages/explore-data';
import type { MapColor } from '@esd/pages/explore-view';
import { countText, numberText } from '../format.ts';
import {
  type ChosenUnits,
  computedText,
  featureWords,
  figureText,
  keyName,
  shareText,
  shown,
  unitOf,
  withUnit,
} from '../names.ts';
import { type Tick, TicksBelow, TicksLeft, TitleBelow, TitleLeft } from './axes.tsx';
import { BELOW, drawingSize, TICK_BELOW, TITLE_BELOW } from './scales.ts';
import { useDrawnSize } from './use-drawn-size.ts';

interface Props {
  window: Window;
  by: MapColor;
  units: ChosenUnits;
  /** The size of the server's drawing. The height grows until each row has room for two lines. */
  width: number;
  height: number;
  /** The CSS class of the size: the page contains a wide and a narrow plot. */
  className: string;
  /** Follows the drawing. */
  legend?: ComponentChildren;
  onCell?: ((cell: WindowCell) => void) | undefined;
}

const SHARES = [50, 75, 90, 100];
const DIAMETERS = [100, 200, 300, 500, 1_000];
/** Cells with fewer experiments are drawn smaller, because they do not give a reliable rate. */
const FEW = 5;
const ROW_HEIGHT = 40;
const TOP = 8;
/** Width of a character in the count of a cell, in its figure, and in the mark of its failures. */
const COUNT_DIGIT = 7.5;
const FIGURE_LETTER = 6;
const MARK_DIGIT = 6.5;
const MARK_HEIGHT = 14;

/** The counts of the tried experiments of a cell. */
export const triedOf = (cell: WindowCell): NonNullable<WindowCell['tried']> => cell.tried ?? cell;

/**
 * A map of two quantities: in each cell, how many of the tried experiments match, their stability or diameter, and how many failed.
 */
export function ProcessingWindow({ window, by, units, className, legend, onCell, ...drawing }: Props) {
  const [cursor, setCursor] = useState<WindowCell | undefined>(undefined);
  const [pointed, setPointed] = useState<WindowCell | undefined>(undefined);
  const { x, y, cells } = window;
  const [columns, rows] = [binCount(x), binCount(y)];
  const frame = useRef<HTMLDivElement>(null);
  const { width, height, isScaled } = useDrawnSize(frame, {
    width: drawing.width,
    height: Math.max(drawing.height, TOP + rows * ROW_HEIGHT + BELOW),
  });
  const place = { left: 50, right: width - 14, top: TOP, bottom: height - BELOW };
  const area = { x: place.left, y: place.top, width: place.right - place.left, height: place.bottom - place.top };
  const [bandX, bandY] = [area.width / columns, area.height / rows];
  const all = columns * rows;
  const failed = cells.reduce((sum, cell) => sum + triedOf(cell).unstable, 0);
  const pattern = `hatch-${className.replace(' ', '-')}`;
  const label = `Map of ${featureWords(x.feature)} and ${featureWords(y.feature)}. ${cells.length} of ${all} cells contain experiments; ${countText(failed, 'run')} failed. The table lists every cell.`;
  // A cell of the previous data has no description.
  const described = [pointed, cursor].find((cell) => cell && cells.includes(cell));
  return (
    <div
      class={`plot-keys ${className}`}
      ref={frame}
      role="group"
      tabIndex={0}
      aria-label="Cells of the map. The arrow keys move between cells, and Enter filters by the ranges of a cell."
      onKeyDown={(event) => {
        if (event.key === 'Enter' && cursor) onCell?.(cursor);
        else if (event.key === 'Escape') setCursor(undefined);
        const next = neighbor(cells, cursor, event.key);
        if (!next) return;
        event.preventDefault();
        setCursor(next);
      }}
    >
      <svg
        class={isScaled ? 'plot map scaled' : 'plot map'}
        {...drawingSize(width, height)}
        role="img"
        aria-label={label}
      >
        <defs>
          <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path class="hatch" d="M0 0v6" />
          </pattern>
        </defs>
        <rect {...area} fill={`url(#${pattern})`} />
        <rect class="frame" {...area} />
        {cells.map((cell) => {
          const inset = triedOf(cell).count < FEW ? 3 : 1;
          const left = place.left + cell.i * bandX + inset;
          const bottom = place.bottom - cell.j * bandY - inset;
          const [cellWidth, cellHeight] = [bandX - 2 * inset, bandY - 2 * inset];
          const { unstable } = triedOf(cell);
          const lines = cellLines(cell, by, units, cellWidth);
          const middle = (left + cellWidth / 2).toFixed(1);
          // Two lines fit below the mark of the failures.
          const baseline = bottom - cellHeight / 2 + (lines[1] === '' ? (unstable > 0 ? 8 : 5) : unstable > 0 ? 1 : -1);
          return (
            <g
              key={`${cell.i} ${cell.j}`}
              class={`cell ${cellClass(cell, by)}${cell === cursor ? ' at-cursor' : ''}`}
              onClick={() => onCell?.(cell)}
              onPointerEnter={() => setPointed(cell)}
              onPointerLeave={() => setPointed(undefined)}
            >
              <rect
                x={left.toFixed(1)}
                y={(bottom - cellHeight).toFixed(1)}
                width={cellWidth.toFixed(1)}
                height={cellHeight.toFixed(1)}
              />
              <text class="cell-count" x={middle} y={baseline.toFixed(1)}>
                {lines[0]}
              </text>
              <text class="cell-figure" x={middle} y={(baseline + 13).toFixed(1)}>
                {lines[1]}
              </text>
              {unstable > 0 && (
                <FailureMark count={unstable} right={left + cellWidth + inset} top={bottom - cellHeight - inset} />
              )}
            </g>
          );
        })}
        <TicksBelow ticks={ticksOf(x, place.left, bandX, units)} place={place} />
        <TicksLeft ticks={ticksOf(y, place.bottom, -bandY, units)} place={place} />
        <TitleBelow
          axis={{ ...x, scale: 'linear', units }}
          x={(place.left + place.right) / 2}
          y={place.bottom + TICK_BELOW + TITLE_BELOW}
        />
        <TitleLeft axis={{ ...y, scale: 'linear', units }} y={(place.top + place.bottom) / 2} />
      </svg>
      {legend}
      <p class="small muted cell-sentence" aria-live="polite">
        {described ? (
          cellSentence(window, described, units)
        ) : (
          <span class="needs-script">Point at a cell, or use the arrow keys, to read its numbers.</span>
        )}
      </p>
    </div>
  );
}

/** The number of failed runs in the corner of a cell. */
function FailureMark({ count, right, top }: { count: number; right: number; top: number }) {
  const text = numberText(count);
  const width = text.length * MARK_DIGIT + 6;
  return (
    <g class="failures">
      <rect x={(right - width).toFixed(1)} y={top.toFixed(1)} width={width} height={MARK_HEIGHT} />
      <text x={(right - width / 2).toFixed(1)} y={(top + 11).toFixed(1)} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}

export function WindowLegend({ window, by, units }: { window: Window; by: MapColor; units: ChosenUnits }) {
  const unit = unitOf('fiberDiameter', units);
  const edges = DIAMETERS.map((edge) => figureText(shown('fiberDiameter', edge, units)));
  const classes: readonly (readonly [string, string])[] =
    by === 'stable'
      ? [
          ['share-0', 'under 50% stable'],
          ['share-1', '50–74%'],
          ['share-2', '75–89%'],
          ['share-3', '90–99%'],
          ['share-4', 'all stable'],
          ['unknown', 'stability not reported'],
        ]
      : [
          ['class-1', `under ${withUnit(edges[0] ?? '', unit)}`],
          ...edges.slice(0, -1).map((edge, at) => [`class-${at + 2}`, `from ${edge}`] as const),
          ['class-6', `${withUnit(edges.at(-1) ?? '', unit)} and over`],
          ['unknown', 'no diameter reported'],
        ];
  return (
    <ul class="legend" aria-label="Legend">
      {[
        ...classes,
        ...(window.tried ? [['no-match', 'tried, none matches'] as const] : []),
        ['none', 'no experiment'] as const,
      ].map(([name, text]) => (
        <li key={name}>
          <span class={`swatch ${name}`} />
          {text}
        </li>
      ))}
      <li>
        <span class="swatch failures">3</span>
        failed runs
      </li>
    </ul>
  );
}

export const binCount = ({ edges }: Window['x']): number => Math.max(1, edges.length - 1);

/** Returns the text of the edges of a bin, or of its only value. */
export function binText({ feature, edges, eachValue }: Window['x'], at: number, units: ChosenUnits): string {
  const text = (edge: number | undefined): string => edgeText(shown(feature, edge ?? edges[at] ?? 0, units));
  return eachValue === true ? text(edges[at]) : `${text(edges[at])}–${text(edges[at + 1])}`;
}

/** Returns the ticks of an axis of equal bands: below the middle of a value, or at the edges. */
function ticksOf(
  { feature, edges, eachValue }: Window['x'],
  start: number,
  band: number,
  units: ChosenUnits,
): readonly Tick[] {
  return edges.slice(0, eachValue === true ? -1 : undefined).map((edge, at) => ({
    place: start + (at + (eachValue === true ? 0.5 : 0)) * band,
    text: edgeText(shown(feature, edge, units)),
  }));
}

/** Writes a value as published, without the error of a conversion. */
const edgeText = (edge: number): string => numberText(Number(edge.toPrecision(6)));

function cellSentence({ x, y }: Window, cell: WindowCell, units: ChosenUnits): string {
  const range = (axis: Window['x'], at: number): string =>
    withUnit(binText(axis, at, units), unitOf(axis.feature, units));
  const { median, count: measured } = cell.fiberDiameter;
  const diameter =
    median === null
      ? 'no diameter reported'
      : `median diameter ${withUnit(computedText(shown('fiberDiameter', median, units)), unitOf('fiberDiameter', units))} (n = ${measured})`;
  const { count, papers, stable, unstable } = triedOf(cell);
  const reported = stable + unstable;
  return [
    `${keyName(x.feature)} ${range(x, cell.i)}, ${featureWords(y.feature)} ${range(y, cell.j)}: `,
    `${countText(count, 'experiment')}${cell.tried ? ' tried' : ''} in ${countText(papers, 'paper')}, `,
    cell.tried ? `${countText(cell.count, 'matches', 'match')}, ` : '',
    reported === 0 ? 'stability not reported' : `${numberText(unstable)} failed, ${shareText(stable, reported)} stable`,
    `; ${diameter}.`,
  ].join('');
}

function cellClass(cell: WindowCell, by: MapColor): string {
  if (cell.count === 0) return 'no-match';
  if (by === 'diameter') {
    const { median } = cell.fiberDiameter;
    return median === null ? 'unknown' : `class-${DIAMETERS.filter((edge) => median >= edge).length + 1}`;
  }
  const { stable, unstable } = triedOf(cell);
  const reported = stable + unstable;
  return reported === 0 ? 'unknown' : `share-${SHARES.filter((share) => (100 * stable) / reported >= share).length}`;
}

/**
 * Returns the two lines of a cell. If the filter has a result, the stable share names itself, or gives way in a narrow cell: the color
 * shows it too.
 */
function cellLines(cell: WindowCell, by: MapColor, units: ChosenUnits, width: number): readonly [string, string] {
  const count = numberText(cell.count);
  const figure = figureOf(cell, by, units);
  // "1 of 1" contains narrow letters.
  if (!cell.tried) return [count, figure.length * 5 <= width ? figure : figure.replace(' of ', '/')];
  const whole = `of ${numberText(cell.tried.count)}`;
  const text = `${count} ${whole}`;
  if (text.length * COUNT_DIGIT > width) return [count, whole];
  if (by === 'diameter') return [text, cell.count === 0 ? '' : figure];
  const share = `${figure} stable`;
  return [text, cell.tried.count >= FEW && share.length * FIGURE_LETTER <= width ? share : ''];
}

function figureOf(cell: WindowCell, by: MapColor, units: ChosenUnits): string {
  if (by === 'diameter') {
    const { median } = cell.fiberDiameter;
    return median === null ? '–' : computedText(shown('fiberDiameter', median, units));
  }
  const { stable, unstable } = triedOf(cell);
  return stable + unstable === 0 ? '–' : shareText(stable, stable + unstable);
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** Returns the nearest cell with experiments in the direction of an arrow key. */
function neighbor(cells: readonly WindowCell[], from: WindowCell | undefined, key: string): WindowCell | undefined {
  const direction = DIRECTIONS[key];
  if (!direction) return undefined;
  if (!from) return cells[0];
  const [di, dj] = direction;
  const ahead = cells
    .map((cell) => {
      const along = (cell.i - from.i) * di + (cell.j - from.j) * dj;
      const aside = Math.abs((cell.i - from.i) * dj) + Math.abs((cell.j - from.j) * di);
      return { cell, along, cost: along + 3 * aside };
    })
    .filter(({ along }) => along > 0);
  return ahead.sort((a, b) => a.cost - b.cost)[0]?.cell ?? from;
}
