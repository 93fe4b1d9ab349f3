import { useState } from 'preact/hooks';
import type { Window, WindowCell } from '@esd/pages/explore-data';
import { type ChosenUnits, featureWords, figureText, shareText, shown, unitOf, withUnit } from '../names.ts';
import { AxisBelow, AxisLeft } from './axes.tsx';
import { plotScale } from './scales.ts';

type CellColor = 'stable' | 'diameter';

interface Props {
  window: Window;
  by: CellColor;
  units: ChosenUnits;
  width: number;
  height: number;
  /** The CSS class of the size: the page contains a wide and a narrow plot. */
  className: string;
  onCell?: ((cell: WindowCell) => void) | undefined;
}

const SHARES = [50, 75, 90, 100];
const DIAMETERS = [100, 200, 300, 500, 1_000];
/** Cells with fewer experiments are drawn smaller, because they do not give a reliable rate. */
const FEW = 5;

/** A map of two quantities: the number of experiments in each cell, and their stability or diameter. */
export function ProcessingWindow({ window, by, units, width, height, className, onCell }: Props) {
  const [cursor, setCursor] = useState<WindowCell | undefined>(undefined);
  const { x, y, cells } = window;
  const place = { left: 46, right: width - 6, top: 8, bottom: height - 42 };
  const ends = (edges: readonly number[]): [number, number] => [edges[0] ?? 0, edges.at(-1) ?? 1];
  const xs = plotScale(x.scale, ends(x.edges), [place.left, place.right]);
  const ys = plotScale(y.scale, ends(y.edges), [place.bottom, place.top]);
  const known = cells.reduce((sum, { stable, unstable }) => sum + stable + unstable, 0);
  const stable = cells.reduce((sum, cell) => sum + cell.stable, 0);
  const all = Math.max(1, x.edges.length - 1) * Math.max(1, y.edges.length - 1);
  const pattern = `hatch-${className}`;
  const label = `Map of ${featureWords(x.feature)} and ${featureWords(y.feature)}. ${cells.length} of ${all} cells contain experiments. ${stable} of ${known} experiments were stable. The table lists every cell.`;
  return (
    <div
      class={`plot-keys ${className}`}
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
        class="plot map"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={label}
      >
        <defs>
          <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path class="hatch" d="M0 0v6" />
          </pattern>
        </defs>
        <rect
          x={place.left}
          y={place.top}
          width={place.right - place.left}
          height={place.bottom - place.top}
          fill={`url(#${pattern})`}
        />
        <rect
          class="frame"
          x={place.left}
          y={place.top}
          width={place.right - place.left}
          height={place.bottom - place.top}
        />
        {cells.map((cell) => {
          const inset = cell.count < FEW ? 4 : 1;
          const left = xs.at(x.edges[cell.i] ?? 0) + inset;
          const right = xs.at(x.edges[cell.i + 1] ?? x.edges[cell.i] ?? 0) - inset;
          const top = ys.at(y.edges[cell.j + 1] ?? y.edges[cell.j] ?? 0) + inset;
          const bottom = ys.at(y.edges[cell.j] ?? 0) - inset;
          const middle = ((left + right) / 2).toFixed(1);
          return (
            <g
              key={`${cell.i} ${cell.j}`}
              class={`cell ${cellClass(cell, by)}${cell === cursor ? ' at-cursor' : ''}`}
              onClick={() => onCell?.(cell)}
            >
              <rect
                x={left.toFixed(1)}
                y={top.toFixed(1)}
                width={Math.max(2, right - left).toFixed(1)}
                height={Math.max(2, bottom - top).toFixed(1)}
              />
              <text class="cell-count" x={middle} y={((top + bottom) / 2 - 1).toFixed(1)}>
                {cell.count}
              </text>
              <text class="cell-figure" x={middle} y={((top + bottom) / 2 + 12).toFixed(1)}>
                {cellText(cell, by, units)}
              </text>
            </g>
          );
        })}
        <AxisBelow axis={{ feature: x.feature, scale: x.scale, places: xs, units }} place={place} />
        <AxisLeft axis={{ feature: y.feature, scale: y.scale, places: ys, units }} place={place} />
      </svg>
      <p class="small muted" aria-live="polite">
        {cursor && cellSentence(window, cursor, units)}
      </p>
    </div>
  );
}

export function WindowLegend({ by, units }: { by: CellColor; units: ChosenUnits }) {
  const unit = unitOf('fiberDiameter', units);
  const edges = DIAMETERS.map((edge) => figureText(shown('fiberDiameter', edge, units)));
  const classes: readonly (readonly [string, string])[] =
    by === 'stable'
      ? [
          ['share-0', 'under 50%'],
          ['share-1', '50–74%'],
          ['share-2', '75–89%'],
          ['share-3', '90–99%'],
          ['share-4', 'all stable'],
          ['unknown', 'not reported'],
        ]
      : [
          ['class-1', `under ${withUnit(edges[0] ?? '', unit)}`],
          ...edges.slice(0, -1).map((edge, at) => [`class-${at + 2}`, `from ${edge}`] as const),
          ['class-6', `${withUnit(edges.at(-1) ?? '', unit)} and over`],
          ['unknown', 'no diameter reported'],
        ];
  return (
    <ul class="legend" aria-label="Legend">
      {[...classes, ['none', 'no experiment'] as const].map(([name, text]) => (
        <li key={name}>
          <span class={`swatch ${name}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}

export function edgeText(axis: Window['x'], at: number, units: ChosenUnits): string {
  return figureText(shown(axis.feature, axis.edges[at] ?? axis.edges[at - 1] ?? 0, units));
}

function cellSentence({ x, y }: Window, cell: WindowCell, units: ChosenUnits): string {
  const range = (axis: Window['x'], at: number): string =>
    withUnit(`${edgeText(axis, at, units)}–${edgeText(axis, at + 1, units)}`, unitOf(axis.feature, units));
  const { median } = cell.fiberDiameter;
  const diameter =
    median === null
      ? 'no diameter reported'
      : `median diameter ${withUnit(figureText(shown('fiberDiameter', median, units)), unitOf('fiberDiameter', units))} (n = ${cell.fiberDiameter.count})`;
  const known = cell.stable + cell.unstable;
  return `${range(x, cell.i)}, ${range(y, cell.j)}: ${cell.count} ${cell.count === 1 ? 'experiment' : 'experiments'} from ${cell.papers} ${cell.papers === 1 ? 'paper' : 'papers'}, ${known === 0 ? 'stability not reported' : `${shareText(cell.stable, known)} stable`}, ${diameter}.`;
}

function cellClass({ stable, unstable, fiberDiameter: { median } }: WindowCell, by: CellColor): string {
  if (by === 'diameter') {
    return median === null ? 'unknown' : `class-${DIAMETERS.filter((edge) => median >= edge).length + 1}`;
  }
  const known = stable + unstable;
  return known === 0 ? 'unknown' : `share-${SHARES.filter((share) => (100 * stable) / known >= share).length}`;
}

function cellText(
  { stable, unstable, fiberDiameter: { median } }: WindowCell,
  by: CellColor,
  units: ChosenUnits,
): string {
  if (by === 'diameter') return median === null ? '–' : figureText(shown('fiberDiameter', median, units));
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
