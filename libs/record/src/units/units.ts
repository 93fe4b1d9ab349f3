import type { UnitEntry } from '../reference/reference.ts';

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Decimal digits computed before rounding to a double, which needs 17. */
const DIGITS = 25;

/** Returns the exact value of a double's decimal notation: 0.1 becomes exactly one tenth. */
function fractionOf(value: number): Fraction {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  const power = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals);
  return power >= 0
    ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-power) };
}

const times = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});
const divide = (a: Fraction, b: Fraction): Fraction => times(a, { numerator: b.denominator, denominator: b.numerator });
const plus = (a: Fraction, b: Fraction, sign: 1n | -1n): Fraction => ({
  numerator: a.numerator * b.denominator + sign * b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});

function toNumber({ numerator, denominator }: Fraction): number {
  const negative = numerator < 0n !== denominator < 0n;
  const top = numerator < 0n ? -numerator : numerator;
  const bottom = denominator < 0n ? -denominator : denominator;
  const shift = DIGITS - (String(top).length - String(bottom).length);
  const scaled = shift >= 0 ? top * 10n ** BigInt(shift) : top;
  const divisor = shift >= 0 ? bottom : bottom * 10n ** BigInt(-shift);
  return Number(`${negative ? '-' : ''}${scaled / divisor}e${-shift}`);
}

const MAX_DENOMINATOR = 10_000n;

/**
 * Returns the exact number that a factor or offset represents. A double with 16 digits or more may be a rounded fraction
 * (1/60 of minutes and hours, 5/9 of °F, 4000/4053 of the darcy). If a fraction with a small denominator, times a power
 * of ten, rounds to the same double, the function returns it. Searches the convergents of the continued fraction.
 */
function constantOf(value: number): Fraction {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  if (mantissa.length < 16) return fractionOf(value);
  const power = fractionOf(Number(`1e${exponent}`));
  let { numerator, denominator } = fractionOf(Number(mantissa));
  let [before, last]: [Fraction, Fraction] = [
    { numerator: 0n, denominator: 1n },
    { numerator: 1n, denominator: 0n },
  ];
  while (denominator !== 0n) {
    const whole = numerator / denominator;
    [numerator, denominator] = [denominator, numerator - whole * denominator];
    [before, last] = [
      last,
      {
        numerator: whole * last.numerator + before.numerator,
        denominator: whole * last.denominator + before.denominator,
      },
    ];
    if (last.denominator > MAX_DENOMINATOR) break;
    const fraction = times(last, power);
    if (toNumber(fraction) === value) return fraction;
  }
  return fractionOf(value);
}

export type ConvertibleUnit = Pick<UnitEntry, 'unit' | 'dimension' | 'factor' | 'offset'>;

const constants = new WeakMap<ConvertibleUnit, { factor: Fraction; offset: Fraction }>();

function constantsOf(unit: ConvertibleUnit): { factor: Fraction; offset: Fraction } | undefined {
  const known = constants.get(unit);
  if (known !== undefined || unit.factor === undefined || unit.factor === 0) return known;
  const made = { factor: constantOf(unit.factor), offset: constantOf(unit.offset ?? 0) };
  constants.set(unit, made);
  return made;
}

/**
 * Converts a value between two units of equal dimension: value in the canonical unit = value × factor + offset.
 * Computes with exact fractions and rounds once: 12000 V is 12 kV and 5 µL/min is 0.3 mL/h, without rounding noise.
 *
 * @returns undefined if the dimensions differ, a unit has no factor (gauge) or factor 0, or the result is not finite
 */
export function convert(value: number, from: ConvertibleUnit, to: ConvertibleUnit): number | undefined {
  if (!Number.isFinite(value) || from.dimension !== to.dimension) return undefined;
  if (from.unit === to.unit) return value;
  const source = constantsOf(from);
  const target = constantsOf(to);
  if (source === undefined || target === undefined) return undefined;
  const canonical = plus(times(fractionOf(value), source.factor), source.offset, 1n);
  const result = toNumber(divide(plus(canonical, target.offset, -1n), target.factor));
  return Number.isFinite(result) ? result : undefined;
}

/** Returns a number with its unit. The unit `1` of a ratio is not written. */
export function withUnit(number: string | number, unit: string): string {
  return unit === '1' ? String(number) : `${number} ${unit}`;
}
