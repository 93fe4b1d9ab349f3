import { nice, ticks } from 'd3-array';
import type { Scale } from '@esd/pages/explore-view';

/** Places on an axis for values in the unit of the filter. */
export interface PlotScale {
  readonly domain: readonly [number, number];
  at(value: number): number;
  valueAt(place: number): number;
}

/** A scale over a range of values, which is made a little wider where it is empty. */
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
  // On a log scale equal ratios are equally long.
  const [step, value] = isLog ? [Math.log, Math.exp] : [Number, Number];
  const [from, to] = [step(domain[0]), step(domain[1])];
  const [start, end] = range;
  return {
    domain,
    at: (one) => start + ((step(one) - from) / (to - from)) * (end - start),
    valueAt: (place) => value(from + ((place - start) / (end - start)) * (to - from)),
  };
}

/** Numbers at which an axis has ticks: round ones; on a log scale 1, 2 and 5 times powers of ten, fewer where they are many. */
export function ticksOf(scale: Scale, [min, max]: readonly [number, number], count: number): readonly number[] {
  if (scale !== 'log' || min <= 0) return ticks(min, max, count);
  for (const steps of [[1, 2, 5], [1, 5], [1]]) {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); power += 1) {
      // Written as a text: 10 ** -2 * 5 is not 0.05.
      found.push(...steps.map((step) => Number(`${step}e${power}`)).filter((tick) => tick >= min && tick <= max));
    }
    if (found.length >= 2 && (found.length <= count * 1.5 || steps.length === 1)) return found;
  }
  return ticks(min, max, count);
}

/** The next number outwards that is 1, 2 or 5 times a power of ten (log), or round (linear). */
export function niceDomain(scale: Scale, [min, max]: readonly [number, number]): [number, number] {
  if (scale !== 'log' || min <= 0) return nice(min, max === min ? min + 1 : max, 5);
  const steps = [1, 2, 5, 10];
  const below = (value: number): number => {
    const power = Math.floor(Math.log10(value));
    const step = steps.findLast((one) => Number(`${one}e${power}`) <= value) ?? 1;
    return Number(`${step}e${power}`);
  };
  const above = (value: number): number => {
    const power = Math.floor(Math.log10(value));
    const step = steps.find((one) => Number(`${one}e${power}`) >= value) ?? 10;
    return Number(`${step}e${power}`);
  };
  return [below(min), above(max)];
}
