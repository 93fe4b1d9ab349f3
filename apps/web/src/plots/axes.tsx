import type { Scale } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';
import { fromDisplay } from '@esd/record/units/display-units';
import { type ChosenUnits, keyName, shown, unitOf } from '../names.ts';
import { numberText } from '../format.ts';
import { type PlotScale, TICK_BELOW, ticksOf, TITLE_BELOW } from './scales.ts';

/** The axis of a quantity. Its ticks are round numbers in the displayed unit. */
interface PlotAxis {
  readonly feature: Feature;
  readonly scale: Scale;
  readonly places: PlotScale;
  readonly units: ChosenUnits;
}

/** Returns the position and the label of each tick of an axis. */
export function axisTicks(
  { feature, scale, places: { domain, at }, units }: PlotAxis,
  count: number,
): readonly { place: number; text: string }[] {
  const unit = unitOf(feature, units);
  const [from, to] = [shown(feature, domain[0], units), shown(feature, domain[1], units)];
  return ticksOf(scale, [from, to], count).map((tick) => ({
    place: at(fromDisplay(feature, tick, unit)),
    text: numberText(Number(tick.toPrecision(6))),
  }));
}

/** The width of a digit of an axis. */
const DIGIT = 7;
const GAP = 8;

/** Filters ticks from left to right so that their labels do not touch. */
export function withoutOverlap<Tick extends { place: number; text: string }>(ticks: readonly Tick[]): readonly Tick[] {
  let end = -Infinity;
  return ticks.filter(({ place, text }) => {
    const half = (text.length * DIGIT) / 2;
    if (place - half < end + GAP) return false;
    end = place + half;
    return true;
  });
}

export function axisTitle({ feature, scale, units }: Omit<PlotAxis, 'places'>): string {
  return `${keyName(feature)} (${unitOf(feature, units)}${scale === 'log' ? ', log scale' : ''})`;
}

export interface PlotArea {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The parts of an axis: only grid lines, also numbers, also the title. */
type Detail = 'lines' | 'numbers' | 'title';

/** The axis below a plot. `tickTop` is the baseline of its numbers. */
export function AxisBelow({
  axis,
  place: { left, right, top, bottom },
  count = 6,
  tickTop = bottom + TICK_BELOW,
  hasGrid = false,
  detail = 'title',
}: {
  axis: PlotAxis;
  place: PlotArea;
  count?: number;
  tickTop?: number;
  hasGrid?: boolean;
  detail?: Detail;
}) {
  return (
    <g>
      {withoutOverlap(axisTicks(axis, count)).map(({ place, text }) => (
        <>
          {hasGrid ? (
            <path class="grid-line" d={`M${place.toFixed(1)} ${top}V${bottom}`} />
          ) : (
            <path class="axis-line" d={`M${place.toFixed(1)} ${bottom}v4`} />
          )}
          {detail !== 'lines' && (
            <text x={place.toFixed(1)} y={tickTop} text-anchor="middle">
              {text}
            </text>
          )}
        </>
      ))}
      {detail === 'title' && <TitleBelow axis={axis} x={(left + right) / 2} y={tickTop + TITLE_BELOW} />}
    </g>
  );
}

export function AxisLeft({
  axis,
  place: { left, right, top, bottom },
  count = 6,
  hasGrid = false,
  detail = 'title',
}: {
  axis: PlotAxis;
  place: PlotArea;
  count?: number;
  hasGrid?: boolean;
  detail?: Detail;
}) {
  return (
    <g>
      {axisTicks(axis, count).map(({ place, text }) => (
        <>
          {hasGrid ? (
            <path class="grid-line" d={`M${left} ${place.toFixed(1)}H${right}`} />
          ) : (
            <path class="axis-line" d={`M${left} ${place.toFixed(1)}h-4`} />
          )}
          {detail !== 'lines' && (
            <text x={left - 7} y={(place + 4).toFixed(1)} text-anchor="end">
              {text}
            </text>
          )}
        </>
      ))}
      {detail === 'title' && <TitleLeft axis={axis} y={(top + bottom) / 2} />}
    </g>
  );
}

type Titled = Omit<PlotAxis, 'places'>;

export function TitleBelow({ axis, x, y }: { axis: Titled; x: number; y: number }) {
  return (
    <text class="axis-title" x={x.toFixed(1)} y={y} text-anchor="middle">
      {axisTitle(axis)}
    </text>
  );
}

export function TitleLeft({ axis, y }: { axis: Titled; y: number }) {
  return (
    <text class="axis-title" transform={`translate(12 ${y.toFixed(1)}) rotate(-90)`} text-anchor="middle">
      {axisTitle(axis)}
    </text>
  );
}
