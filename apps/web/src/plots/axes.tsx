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

/** The position and the label of a tick. */
export interface Tick {
  readonly place: number;
  readonly text: string;
}

/** Returns the ticks of an axis. */
export function axisTicks({ feature, scale, places: { domain, at }, units }: PlotAxis, count: number): readonly Tick[] {
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
export function withoutOverlap(ticks: readonly Tick[]): readonly Tick[] {
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

interface AxisProps {
  axis: PlotAxis;
  place: PlotArea;
  /** The approximate number of ticks. */
  count?: number;
  detail?: Detail;
}

/** The axis below a plot with grid lines. `tickTop` is the baseline of its numbers. */
export function AxisBelow({ axis, place, count = 6, tickTop, detail = 'title' }: AxisProps & { tickTop: number }) {
  const { left, right } = place;
  return (
    <g>
      <TicksBelow
        ticks={axisTicks(axis, count)}
        place={place}
        tickTop={tickTop}
        hasGrid
        isNumbered={detail !== 'lines'}
      />
      {detail === 'title' && <TitleBelow axis={axis} x={(left + right) / 2} y={tickTop + TITLE_BELOW} />}
    </g>
  );
}

/** The axis to the left of a plot with grid lines. */
export function AxisLeft({ axis, place, count = 6, detail = 'title' }: AxisProps) {
  return (
    <g>
      <TicksLeft ticks={axisTicks(axis, count)} place={place} hasGrid isNumbered={detail !== 'lines'} />
      {detail === 'title' && <TitleLeft axis={axis} y={(place.top + place.bottom) / 2} />}
    </g>
  );
}

interface TicksProps {
  ticks: readonly Tick[];
  place: PlotArea;
  hasGrid?: boolean;
  isNumbered?: boolean;
}

/** The ticks below a plot whose numbers do not touch each other. */
export function TicksBelow({
  ticks,
  place,
  hasGrid = false,
  isNumbered = true,
  tickTop,
}: TicksProps & { tickTop?: number }) {
  const { top, bottom } = place;
  return (
    <>
      {withoutOverlap(ticks).map(({ place: x, text }) => (
        <>
          {hasGrid ? (
            <path class="grid-line" d={`M${x.toFixed(1)} ${top}V${bottom}`} />
          ) : (
            <path class="axis-line" d={`M${x.toFixed(1)} ${bottom}v4`} />
          )}
          {isNumbered && (
            <text x={x.toFixed(1)} y={tickTop ?? bottom + TICK_BELOW} text-anchor="middle">
              {text}
            </text>
          )}
        </>
      ))}
    </>
  );
}

export function TicksLeft({ ticks, place: { left, right }, hasGrid = false, isNumbered = true }: TicksProps) {
  return (
    <>
      {ticks.map(({ place: y, text }) => (
        <>
          {hasGrid ? (
            <path class="grid-line" d={`M${left} ${y.toFixed(1)}H${right}`} />
          ) : (
            <path class="axis-line" d={`M${left} ${y.toFixed(1)}h-4`} />
          )}
          {isNumbered && (
            <text x={left - 7} y={(y + 4).toFixed(1)} text-anchor="end">
              {text}
            </text>
          )}
        </>
      ))}
    </>
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
