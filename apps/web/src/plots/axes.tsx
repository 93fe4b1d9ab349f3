import type { Scale } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';
import { fromDisplay } from '@esd/record/units/display-units';
import { type ChosenUnits, featureName, shown, unitOf } from '../names.ts';
import { numberText } from '../format.ts';
import { type PlotScale, ticksOf } from './scales.ts';

/** An axis of a quantity. Its ticks are round numbers of the unit in which the quantity is shown. */
interface PlotAxis {
  readonly feature: Feature;
  readonly scale: Scale;
  readonly places: PlotScale;
  readonly units: ChosenUnits;
}

/** The ticks of an axis: their places, and what is written there. */
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

const DIGIT = 6;
const GAP = 8;

/** Those of some ticks, from the left on, whose texts do not touch each other. */
export function withRoom<Tick extends { place: number; text: string }>(ticks: readonly Tick[]): readonly Tick[] {
  let end = -Infinity;
  return ticks.filter(({ place, text }) => {
    const half = (text.length * DIGIT) / 2;
    if (place - half < end + GAP) return false;
    end = place + half;
    return true;
  });
}

/** The name of an axis as in "Fiber diameter (nm, log scale)". */
export function axisTitle({ feature, scale, units }: Omit<PlotAxis, 'places'>): string {
  return `${featureName(feature)} (${unitOf(feature, units)}${scale === 'log' ? ', log scale' : ''})`;
}

interface Place {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The axis below a plot, with grid lines where `hasGrid`. `tickTop` is where the numbers stand. */
export function AxisBelow({
  axis,
  place: { left, right, top, bottom },
  count = 6,
  tickTop = bottom + 15,
  hasGrid = false,
}: {
  axis: PlotAxis;
  place: Place;
  count?: number;
  tickTop?: number;
  hasGrid?: boolean;
}) {
  return (
    <g>
      {withRoom(axisTicks(axis, count)).map(({ place, text }) => (
        <>
          {hasGrid ? (
            <path class="grid-line" d={`M${place.toFixed(1)} ${top}V${bottom}`} />
          ) : (
            <path class="axis-line" d={`M${place.toFixed(1)} ${bottom}v4`} />
          )}
          <text x={place.toFixed(1)} y={tickTop} text-anchor="middle">
            {text}
          </text>
        </>
      ))}
      <text class="axis-title" x={((left + right) / 2).toFixed(1)} y={tickTop + 19} text-anchor="middle">
        {axisTitle(axis)}
      </text>
    </g>
  );
}

/** The axis at the left of a plot. */
export function AxisLeft({
  axis,
  place: { left, right, top, bottom },
  count = 6,
  hasGrid = false,
}: {
  axis: PlotAxis;
  place: Place;
  count?: number;
  hasGrid?: boolean;
}) {
  const middle = ((top + bottom) / 2).toFixed(1);
  return (
    <g>
      {axisTicks(axis, count).map(({ place, text }) => (
        <>
          {hasGrid ? (
            <path class="grid-line" d={`M${left} ${place.toFixed(1)}H${right}`} />
          ) : (
            <path class="axis-line" d={`M${left} ${place.toFixed(1)}h-4`} />
          )}
          <text x={left - 7} y={(place + 4).toFixed(1)} text-anchor="end">
            {text}
          </text>
        </>
      ))}
      <text class="axis-title" transform={`translate(11 ${middle}) rotate(-90)`} text-anchor="middle">
        {axisTitle(axis)}
      </text>
    </g>
  );
}
