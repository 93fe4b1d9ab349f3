import type { PolymerFigures } from '@esd/pages/overview';
import { countText, numberText, rounded } from '../format.ts';
import { drawingSize } from './scales.ts';
import { short } from './strip.tsx';

interface Layout {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  /** The baseline ends of n, the median, and the failed runs at the end of a row. A narrow row has only failed runs. */
  readonly columns: { readonly n?: number; readonly median?: number; readonly failed: number };
  readonly maxTicks: number;
}

const WIDE: Layout = { width: 776, left: 96, right: 188, columns: { n: 632, median: 708, failed: 776 }, maxTicks: 10 };
const NARROW: Layout = { width: 288, left: 64, right: 52, columns: { failed: 288 }, maxTicks: 4 };
const TOP = 28;
const ROW = 26;
const BOTTOM = 40;
/** Vertical offsets of dots that would otherwise overlap. */
const OFFSETS = [0, 4, -4, 8, -8];
const DOT = 4;

/** The fiber diameters by polymer on a log scale: one dot per experiment, a line for the median, and the number of failed runs. Drawn for wide and for narrow windows. */
export function DiameterByPolymer({ polymers }: { polymers: readonly PolymerFigures[] }) {
  const diameters = polymers.flatMap(({ min, max }) => [min ?? 0, max ?? 0]).filter((value) => value > 0);
  if (diameters.length === 0) return <p class="muted">No fiber diameters reported yet.</p>;
  const label = labelOf(polymers);
  return (
    <>
      <Drawing polymers={polymers} ticks={logTicks(diameters)} layout={WIDE} label={label} className="plot wide" />
      <Drawing polymers={polymers} ticks={logTicks(diameters)} layout={NARROW} label={label} className="plot narrow" />
    </>
  );
}

interface DrawingProps {
  polymers: readonly PolymerFigures[];
  ticks: readonly number[];
  layout: Layout;
  label: string;
  className: string;
}

function Drawing({ polymers, ticks, layout, label, className }: DrawingProps) {
  const { width, left, right, columns, maxTicks } = layout;
  const bottom = TOP + polymers.length * ROW;
  const height = bottom + BOTTOM;
  const [low = 1, high = 10] = [ticks[0], ticks.at(-1)];
  const plotWidth = width - left - right;
  const xOf = (value: number): number => left + (Math.log(value / low) / Math.log(high / low)) * plotWidth;
  const shown = ticks.length <= maxTicks ? ticks : ticks.filter((tick) => Number.isInteger(Math.log10(tick)));
  return (
    <svg class={className} {...drawingSize(width, height)} role="img" aria-label={label}>
      {shown.map((tick) => (
        <>
          <path class="grid" d={`M${short(xOf(tick))} ${TOP}V${bottom}`} />
          <text x={short(xOf(tick))} y={bottom + 15} text-anchor="middle">
            {numberText(tick)}
          </text>
        </>
      ))}
      <text class="title" x={left + plotWidth / 2} y={bottom + 34} text-anchor="middle">
        Fiber diameter (nm, log scale)
      </text>
      {COLUMNS.map(([name, title]) => (
        <EndText key={name} x={columns[name]} y={17} className="title" text={title} />
      ))}
      {polymers.map(({ polymer, withDiameter, median, unstable, diameters }, at) => {
        const y = TOP + (at + 0.5) * ROW;
        return (
          <>
            <text class="label" x={left - 12} y={y + 4} text-anchor="end">
              {polymer.length > 10 && layout === NARROW ? `${polymer.slice(0, 7)}…` : polymer}
            </text>
            <path class="dots" d={dots(diameters, xOf, y)} />
            {median !== null && median > 0 && <path class="median" d={`M${short(xOf(median))} ${y - 8}v16`} />}
            <EndText x={columns.n} y={y + 4} text={numberText(withDiameter)} />
            <EndText
              x={columns.median}
              y={y + 4}
              text={median === null ? 'none' : `${numberText(rounded(median))}\u202fnm`}
            />
            {unstable > 0 && (
              <EndText x={columns.failed} y={y + 4} className="failed" text={`× ${numberText(unstable)}`} />
            )}
          </>
        );
      })}
    </svg>
  );
}

const COLUMNS = [
  ['n', 'n'],
  ['median', 'median'],
  ['failed', 'failed'],
] as const;

/** A text that ends at `x`; nothing if the layout does not have its column. */
function EndText({ x, y, text, className }: { x: number | undefined; y: number; text: string; className?: string }) {
  if (x === undefined) return null;
  return (
    <text x={x} y={y} class={className} text-anchor="end">
      {text}
    </text>
  );
}

/** Returns a path of lines without length. Round line caps render them as dots. */
function dots(diameters: readonly number[], xOf: (value: number) => number, y: number): string {
  const taken = new Map<number, number>();
  return diameters
    .filter((value) => value > 0)
    .toSorted((a, b) => a - b)
    .map((value) => {
      const x = xOf(value);
      const column = Math.round(x / DOT);
      const before = taken.get(column) ?? 0;
      taken.set(column, before + 1);
      return `M${short(x)} ${y + (OFFSETS[before % OFFSETS.length] ?? 0)}h0`;
    })
    .join('');
}

/** Returns 1, 2, and 5 times powers of ten that span the range of the values. The values must be above 0. */
function logTicks(values: readonly number[]): number[] {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(min)) - 1; power <= Math.ceil(Math.log10(max)) + 1; power += 1) {
    for (const step of [1, 2, 5]) ticks.push(Number(`${step}e${power}`));
  }
  const first = ticks.findLastIndex((tick) => tick <= min);
  const last = ticks.findIndex((tick) => tick >= max && tick > (ticks[first] ?? 0));
  return ticks.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
}

function labelOf(polymers: readonly PolymerFigures[]): string {
  const count = polymers.reduce((sum, { withDiameter }) => sum + withDiameter, 0);
  const medians = polymers.flatMap(({ median }) => median ?? []);
  const range = `${numberText(rounded(Math.min(...medians)))} to ${numberText(rounded(Math.max(...medians)))}`;
  const failed = polymers.reduce((sum, { unstable }) => sum + unstable, 0);
  return `Fiber diameter of ${numberText(count)} experiments by polymer on a log scale. Medians range from ${range} nm. ${countText(failed, 'run')} failed. The table lists the values.`;
}
