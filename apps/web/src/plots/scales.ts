import { nice, ticks } from 'd3-array';
import type { Scale } from '@esd/pages/explore-view';

/** The distances of the numbers below a plot from its bottom, of its title from them, and of the end of the drawing. */
export const TICK_BELOW = 16;
export const TITLE_BELOW = 20;
export const BELOW = 44;

/** Maps values in the unit of the filter to positions on an axis, and back. */
export interface PlotScale {
  readonly domain: readonly [number, number];
  at(value: number): number;
  valueAt(place: number): number;
}

/** Creates a scale over a range of values. A range of a single value is widened. */
export function plotScale(
  scale: Scale,
  [min, max]: readonly [number, number],
  range: readonly [number, number],
): PlotScale {
  const isLog = scale === 'log' && min > 0;
  const domain: [number, number] =
    min < max
      ? [min, max]
      : isLog
        ? [min / 1.5, max * 1.5]
        : [min - (Math.abs(min) || 1) / 10, max + (Math.abs(max) || 1) / 10];
  const [step, value] = isLog ? [Math.log, Math.exp] : [Number, Number];
  const [from, to] = [step(domain[0]), step(domain[1])];
  const [start, end] = range;
  return {
    domain,
    at: (quantity) => start + ((step(quantity) - from) / (to - from)) * (end - start),
    valueAt: (place) => value(from + ((place - start) / (end - start)) * (to - from)),
  };
}

/** Returns round tick values. On a log scale, they are 1, 2, and 5 times powers of ten, thinned out if there are too many. */
export function ticksOf(scale: Scale, [min, max]: readonly [number, number], count: number): readonly number[] {
  if (scale !== 'log' || min <= 0) return ticks(min, max, count);
  for (const steps of [[1, 2, 5], [1, 5], [1]]) {
    const roundTicks: number[] = [];
    for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); power += 1) {
      // Parsed from text, because 10 ** -2 * 5 is not exactly 0.05.
      roundTicks.push(...steps.map((step) => Number(`${step}e${power}`)).filter((tick) => tick >= min && tick <= max));
    }
    if (roundTicks.length >= 2 && (roundTicks.length <= count * 1.5 || steps.length === 1)) return roundTicks;
  }
  return ticks(min, max, count);
}

/** Returns the least and the greatest of the values; infinite without values. */
export function endsOf(values: readonly number[]): readonly [number, number] {
  // A plot can have more values than a call can have arguments.
  return [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
}

/** Extends a range outward to round numbers; on a log scale to 1, 2, or 5 times a power of ten. */
export function niceDomain(scale: Scale, [min, max]: readonly [number, number]): [number, number] {
  if (scale !== 'log' || min <= 0) return nice(min, max === min ? min + 1 : max, 5);
  const roundNear = (value: number): number[] =>
    [1, 2, 5, 10].map((step) => Number(`${step}e${Math.floor(Math.log10(value))}`));
  return [roundNear(min).findLast((round) => round <= min) ?? min, roundNear(max).find((round) => round >= max) ?? max];
}

/** Returns the attributes of a drawing that is as large as its coordinates. */
export function drawingSize(width: number, height: number) {
  return { viewBox: `0 0 ${width} ${height}`, width, height };
}
