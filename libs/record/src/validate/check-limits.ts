import type { Limits } from '../catalog/catalog.ts';
import { findEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { report } from './read-value.ts';
import type { Reading } from './read-value.ts';

/** The accepted excess, as a share of the value. It absorbs the rounding of conversions: −459.67 °F is possible. */
const TOLERANCE = 1e-6;

/** Reports a number that is physically impossible in a unit of the unit list. */
export function checkLimits(
  reading: Reading,
  path: string,
  value: number,
  { min = -Infinity, max = Infinity, maxIn, except }: Limits,
  unitName = '',
): void {
  // Without an upper bound, a positive number is possible in every unit.
  if (value > 0 && max === Infinity) return;
  const unit = findEntry(reading.references, 'units', unitName);
  const { factor = 1, offset = 0, dimension = '', canonical = unitName } = unit ?? {};
  const upper = maxIn === undefined || maxIn.includes(dimension) ? max : Infinity;
  const tolerated = (value * factor + offset) * (1 - TOLERANCE);
  if (tolerated >= min && tolerated <= upper && value !== except) return;
  report(reading, path, 'IMPOSSIBLE_VALUE', () => {
    const expected = limitsText({ min, max: upper, ...(except === undefined ? {} : { except }) }, canonical);
    return `The value ${withUnit(value, unitName)} is physically impossible; expected ${expected}.`;
  });
}

/** Describes limits, with their unit where they depend on it. */
export function limitsText({ min = -Infinity, max = Infinity, maxIn, except }: Limits, unit: string): string {
  if (maxIn !== undefined) return `at least ${min}, and at most ${max} % in units of ${maxIn.join(' and ')}`;
  if (max !== Infinity) {
    return except === undefined
      ? `${min} to ${withUnit(max, unit)}`
      : `more than ${min}, and at most ${withUnit(max, unit)}`;
  }
  if (except === undefined) return `at least ${withUnit(min, min === 0 ? '' : unit)}`;
  return min === 0 ? 'more than 0' : 'a number other than 0';
}
