import { type FeatureKeys, type Feature, isSolventFeature } from '../filter/filter-keys.ts';
import { type FeatureFacts, featureFacts } from '../metadata/feature-facts.ts';
import { describedKeys, isResult, keyLabels } from '../metadata/key-labels.ts';
import { fold } from '../reference/fold.ts';
import { findEntry, type References, type UnitEntry } from '../reference/reference.ts';
import { needleGauges } from '../units/needle-gauges.ts';
import { convert, withUnit } from '../units/units.ts';
import { partOf, type ReadPart, type SearchCondition, type SearchPart } from './search-part.ts';

const named: readonly (readonly [word: string, facts: FeatureFacts])[] = featureFacts
  .flatMap((facts) => {
    const { label = '', searchWords = [] } = describedKeys.find(({ key }) => key === facts.feature) ?? {};
    return [facts.name, label, ...searchWords].map((word) => [fold(word), facts] as const);
  })
  .sort(([a], [b]) => b.length - a.length);

/** The features that a length unit can mean. */
const LENGTHS: ReadonlyMap<string, readonly Feature[]> = new Map([
  ['nm', ['fiberDiameter']],
  ['µm', ['fiberDiameter']],
  ['cm', ['tipDist']],
  ['mm', ['tipDist', 'needleDiameter']],
]);

const NUMBER = String.raw`[-−]?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const BELOW = String.raw`<=|≤|<|less than|smaller than|thinner than|lower than|under|below|up to|at most|max\.?`;
const ABOVE = String.raw`>=|≥|>|more than|larger than|thicker than|higher than|over|above|at least|from|min\.?`;
const RANGE = new RegExp(`^(?:between\\s+)?(${NUMBER})\\s*(?:[-–—]|to|and|\\.\\.)\\s*(${NUMBER})(?![\\d.])`, 'i');
/** A range that repeats its unit, as in "200 nm to 300 nm"; the unit is read after the second number. */
const TWICE = new RegExp(
  `^(?:between\\s+)?(${NUMBER})\\s*([^\\s\\d<>–—-]+)\\s*(?:[-–—]|to|and)\\s*(${NUMBER})(?=\\s*\\2(?:[\\s,;]|$))`,
  'i',
);
const ONE = new RegExp(`^(?:(${BELOW})|(${ABOVE})|(=))?\\s*(${NUMBER})(?![\\d.])`, 'i');
/** The share by which a result may differ from a single value of a text. No measured diameter is exactly 500 nm. */
const TOLERANCE = 0.1;
const UNITS = 'kV, mL/h, cm, nm, wt%, °C or G';
const MAX_UNIT_WORDS = 3;

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Whether the text has a single value without a comparison. */
  readonly isBare?: boolean | undefined;
}

/**
 * Reads a quantity at the beginning of a text: an optional feature, a comparison or range, and an optional unit. Bounds are
 * inclusive, as in all filters. A single value of a result means ± 10 %, unless it has an equals sign. Returns undefined without a number.
 */
export function readQuantity(text: string, references: References): ReadPart | undefined {
  const about = featureAt(text);
  const from = about?.length ?? 0;
  const numbers = boundsAt(text.slice(from));
  if (!numbers) {
    if (!about || about.isGeneral) return undefined;
    const why = `Add a value, such as “${keyLabels[about.facts.feature].label.toLowerCase()} < ${withUnit(10, about.facts.unit)}”.`;
    return { length: about.length, part: { kind: 'left out', why } };
  }
  const after = text.slice(from + numbers.length);
  const unit = unitAt(after, references);
  // Text directly after a number belongs to it; a word after a space may not.
  const [glued = ''] = unit ? [] : (/^[^\s,;]+/.exec(after) ?? []);
  const length = from + numbers.length + (unit?.length ?? glued.length);
  if (glued !== '') {
    const why = `“${glued}” is not a unit. Use one such as ${UNITS}.`;
    return { length, part: { kind: 'left out', why } };
  }
  return { length, part: quantityPart(numbers.bounds, about?.facts, unit?.entry, references) };
}

function quantityPart(
  bounds: Bounds,
  about: FeatureFacts | undefined,
  unit: UnitEntry | undefined,
  references: References,
): SearchPart {
  if (bounds.min !== undefined && bounds.max !== undefined && bounds.min > bounds.max) {
    return { kind: 'left out', why: 'Write the smaller number of a range first.' };
  }
  if (!unit) {
    if (about) return partOf([conditionOf(about, bounds)]);
    return { kind: 'left out', why: `Add a unit to the number, such as ${UNITS}.` };
  }
  const candidates = about ? [about] : featuresOf(unit, references);
  const options = candidates.flatMap((facts): SearchCondition[] => {
    const inUnit = inFilterUnit(bounds, unit, facts, references);
    return inUnit ? [conditionOf(facts, inUnit)] : [];
  });
  if (options.length > 0) return partOf(options);
  if (unit.dimension === 'gauge') {
    const gauges = needleGauges.map(({ gauge }) => gauge);
    const why = `Needles have gauges from ${Math.min(...gauges)} to ${Math.max(...gauges)}.`;
    return { kind: 'left out', why };
  }
  const why = about
    ? `${unit.unit} cannot be converted to ${about.unit}, the unit of ${keyLabels[about.feature].label.toLowerCase()}.`
    : `No filter has the unit ${unit.unit}.`;
  return { kind: 'left out', why };
}

/** Returns the features that a unit without a feature can mean. */
function featuresOf(unit: UnitEntry, references: References): readonly FeatureFacts[] {
  if (unit.dimension === 'gauge') return featureFacts.filter(({ feature }) => feature === 'needleDiameter');
  const lengths = LENGTHS.get(unit.unit);
  if (lengths) return featureFacts.filter(({ feature }) => lengths.includes(feature));
  // Concentrations are often written as % instead of wt%.
  if (unit.unit === '%') {
    return featureFacts.filter(({ feature, unit: own }) => own === '%' || feature === 'concentration');
  }
  // A temperature alone is that of the air.
  const measured = featureFacts.filter(({ feature }) => !isSolventFeature(feature));
  return measured.filter(({ unit: own }) => findEntry(references, 'units', own)?.dimension === unit.dimension);
}

/** Converts bounds to a feature's filter unit; undefined if that is not possible. */
function inFilterUnit(bounds: Bounds, unit: UnitEntry, facts: FeatureKeys, references: References): Bounds | undefined {
  const to = findEntry(references, 'units', facts.unit);
  const isShare = unit.unit === '%' && facts.feature === 'concentration';
  const converted = (value: number | undefined): number | undefined => {
    if (value === undefined || isShare) return value;
    if (unit.dimension === 'gauge') return needleGauges.find(({ gauge }) => gauge === value)?.innerDiameterMm;
    return to && convert(value, unit, to);
  };
  const [min, max] = [converted(bounds.min), converted(bounds.max)];
  if ((bounds.min !== undefined && min === undefined) || (bounds.max !== undefined && max === undefined))
    return undefined;
  // A higher gauge is a thinner needle.
  return unit.dimension === 'gauge' ? { min: max, max: min } : { ...bounds, min, max };
}

function conditionOf({ feature, unit, ...keys }: FeatureFacts, bounds: Bounds): SearchCondition {
  const { min, max } = bounds.isBare && isResult(feature) ? around(bounds) : bounds;
  const parameters = {
    ...(min === undefined ? {} : { [keys.min]: String(min) }),
    ...(max === undefined ? {} : { [keys.max]: String(max) }),
  };
  return { key: feature, name: keyLabels[feature].label, value: rangeInWords({ min, max }, unit), parameters };
}

function around({ min = NaN }: Bounds): Bounds {
  const [low = min, high = min] = [-1, 1].map((sign) => Number((min * (1 + sign * TOLERANCE)).toPrecision(12)));
  return { min: Math.min(low, high), max: Math.max(low, high) };
}

export function rangeInWords({ min, max }: Bounds, unit: string): string {
  const bounds =
    min === undefined ? `≤ ${max ?? ''}` : max === undefined ? `≥ ${min}` : min === max ? `${min}` : `${min}–${max}`;
  if (unit === '1') return bounds;
  return unit === '%' ? `${bounds}%` : `${bounds}\u202f${unit}`;
}

/** Finds a feature name at the beginning of a text. General words, such as "fibers", need no value. */
function featureAt(text: string): { facts: FeatureFacts; length: number; isGeneral: boolean } | undefined {
  const folded = fold(text);
  for (const [word, facts] of named) {
    if (!folded.startsWith(word)) continue;
    const [spaces = ''] = /^\s*(?:of\s|is\s|:\s*)?\s*/.exec(text.slice(word.length)) ?? [];
    const rest = text.slice(word.length);
    if (rest !== '' && /^[\p{L}\p{N}]/u.test(rest)) continue;
    return { facts, length: word.length + spaces.length, isGeneral: /fib|needle|nozzle|gauge|strength/.test(word) };
  }
  return undefined;
}

function boundsAt(text: string): { bounds: Bounds; length: number } | undefined {
  const range = RANGE.exec(text);
  if (range) {
    const [{ length }, min, max] = range;
    return { bounds: { min: numberOf(min), max: numberOf(max) }, length };
  }
  const twice = TWICE.exec(text);
  if (twice) {
    const [{ length }, min, , max] = twice;
    return { bounds: { min: numberOf(min), max: numberOf(max) }, length };
  }
  const one = ONE.exec(text);
  if (!one) return undefined;
  const [{ length }, below, above, equal, number] = one;
  const value = numberOf(number);
  if (!Number.isFinite(value)) return undefined;
  const bounds = below
    ? { max: value }
    : above
      ? { min: value }
      : { min: value, max: value, isBare: equal === undefined };
  return { bounds, length };
}

function numberOf(text = ''): number {
  return Number(text.replace('−', '-'));
}

function unitAt(text: string, references: References): { entry: UnitEntry; length: number } | undefined {
  const words = [...text.matchAll(/\S+/g)].slice(0, MAX_UNIT_WORDS);
  for (const { 0: word, index } of words.reverse()) {
    const end = index + word.length;
    const written = text.slice(0, end).trim();
    // After a space, "in" does not mean inch: "20 in water".
    if (/^\s+in$/i.test(text.slice(0, end))) continue;
    for (const name of new Set([written, written.replace(/[,;.]+$/, '')])) {
      const entry = findEntry(references, 'units', name);
      if (entry !== undefined) return { entry, length: end };
    }
  }
  return undefined;
}
