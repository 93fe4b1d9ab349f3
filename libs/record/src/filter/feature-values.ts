import { derivedFeatures, type ExperimentData, type FreeObject } from '../catalog/catalog.ts';
import { recordFeatures, solventFeatures } from './filter-keys.ts';
import type { Feature, RecordFeature, RecordFeatureKeys } from './filter-keys.ts';
import { needleGauges } from '../units/needle-gauges.ts';
import { isObject } from '../validate/is-object.ts';
import { propertyOf, type SolventProperty } from '../reference/properties-of.ts';
import { resolveName } from '../reference/reference.ts';
import type { References, UnitEntry } from '../reference/reference.ts';
import { convert } from '../units/units.ts';

export type FeatureValues = Partial<Record<Feature, number>>;

const DECIMAL = /^\d+(?:\.\d+)?$/;

const innerDiameters = new Map(needleGauges.map(({ gauge, innerDiameterMm }) => [gauge, innerDiameterMm]));

export interface FeatureReading {
  /** Values in the filter unit of their feature. */
  readonly values: FeatureValues;
  /** Features with a value that cannot be converted (g/L to wt% needs a density). */
  readonly notConvertible: readonly Feature[];
}

type Reading = number | 'missing' | 'notConvertible';

/** Reads the features of a record. Values without a unit are in the filter unit. */
export function readFeatures(data: ExperimentData, references: References): FeatureReading {
  const readings = readQuantities(data, references);
  for (const feature of solventFeatures)
    readings.set(feature, solventMean(data, derivedFeatures[feature].solventProperty, references));
  return readingOf(readings);
}

/** Reads the features that only need the unit list: those of the record, and the field strength. */
export function readUnitFeatures(data: ExperimentData, references: References): FeatureReading {
  return readingOf(readQuantities(data, references));
}

function readQuantities(data: ExperimentData, references: References): Map<Feature, Reading> {
  const readings = new Map<Feature, Reading>(
    recordFeatures.map((keys) => [keys.feature, readFeature(data, keys, references)]),
  );
  return readings.set('fieldStrength', fieldStrength(readings.get('voltage'), readings.get('tipDist')));
}

function readingOf(readings: ReadonlyMap<Feature, Reading>): FeatureReading {
  const values: FeatureValues = {};
  const notConvertible: Feature[] = [];
  for (const [feature, reading] of readings) {
    if (typeof reading === 'number') values[feature] = reading;
    else if (reading === 'notConvertible') notConvertible.push(feature);
  }
  return { values, notConvertible };
}

export function featureValues(data: ExperimentData, references: References): FeatureValues {
  return readFeatures(data, references).values;
}

function readFeature(data: ExperimentData, { feature, unit }: RecordFeatureKeys, references: References): Reading {
  if (feature === 'needleDiameter') return needleDiameter(data.needleProperty?.needleDefinition, unit, references);
  const quantity = quantityOf(data, feature);
  if (quantity === undefined) return 'missing';
  const converted = inUnit(quantity.value, quantity.unit, unit, references);
  if (converted !== undefined) return finite(converted);
  if (feature !== 'variation') return 'notConvertible';
  return finite(coefficientOfVariation(quantity, data.fiberProperty, references));
}

const finite = (value: number | undefined): Reading =>
  value !== undefined && Number.isFinite(value) ? value : 'notConvertible';

/** Returns the mean electric field, voltage / distance in kV/cm; missing if the distance is not above 0. */
function fieldStrength(voltage: Reading = 'missing', distance: Reading = 'missing'): Reading {
  if (voltage === 'notConvertible' || distance === 'notConvertible') return 'notConvertible';
  if (voltage === 'missing' || distance === 'missing' || distance <= 0) return 'missing';
  return finite(voltage / distance);
}

/**
 * Returns the property of a single solvent, or the mean of the pure solvents of a blend, weighted by volume ratio. A blend
 * needs positive ratios in one unit. Not convertible if a solvent lacks the property.
 */
function solventMean(
  { solventProperty }: ExperimentData,
  property: SolventProperty['property'],
  references: References,
): Reading {
  const components = solventProperty?.solventComponents ?? [];
  if (components.length === 0) return 'missing';
  const units = new Set(
    components.map(({ volumeRatioUnit: unit }) => unit && (unitOf(references, unit)?.unit ?? unit)),
  );
  const find = (name: string) => {
    const resolution = resolveName(references, 'solvents', name);
    return resolution.kind === 'found' ? resolution.entry : undefined;
  };
  let [sum, total] = [0, 0];
  for (const { solventName, volumeRatio } of components) {
    const value = propertyOf(find(solventName ?? ''), property, find);
    if (value === undefined) return 'notConvertible';
    if (components.length === 1) return value;
    if (volumeRatio === undefined || volumeRatio <= 0 || units.size > 1) return 'notConvertible';
    sum += value * volumeRatio;
    total += volumeRatio;
  }
  return finite(sum / total);
}

interface Quantity {
  readonly value: number;
  readonly unit: string | undefined;
}

const quantityMembers = new Map(
  recordFeatures.map(({ feature, path }) => {
    const [group = '', member = ''] = path.split('.');
    return [feature, { group, member, unitMember: `${member}Unit` }] as const;
  }),
);

/** Returns a feature's value and unit as stored; undefined without a value and for the needle definition. */
export function quantityOf(data: Readonly<Record<string, unknown>>, feature: RecordFeature): Quantity | undefined {
  const location = quantityMembers.get(feature);
  const group = location && data[location.group];
  if (location === undefined || !isObject(group)) return undefined;
  const value = group[location.member];
  const unit = group[location.unitMember];
  return typeof value === 'number' ? { value, unit: typeof unit === 'string' ? unit : undefined } : undefined;
}

function inUnit(
  value: number,
  written: string | undefined,
  wanted: string,
  references: References,
): number | undefined {
  if (written === undefined || written === wanted) return value;
  const from = unitOf(references, written);
  const to = unitOf(references, wanted);
  return from === undefined || to === undefined ? undefined : convert(value, from, to);
}

function unitOf(references: References, text: string): UnitEntry | undefined {
  const resolution = resolveName(references, 'units', text);
  return resolution.kind === 'found' ? resolution.entry : undefined;
}

/** Converts a standard deviation of the fiber diameter (a length) to a percentage of the record's diameter. */
function coefficientOfVariation(
  deviation: Quantity,
  fiber: ExperimentData['fiberProperty'],
  references: References,
): number | undefined {
  if (fiber?.fiberDiameter === undefined) return undefined;
  const diameter = inUnit(fiber.fiberDiameter, fiber.fiberDiameterUnit, 'nm', references);
  const length = inUnit(deviation.value, deviation.unit, 'nm', references);
  if (diameter === undefined || length === undefined || diameter <= 0) return undefined;
  return (length * 100) / diameter;
}

/**
 * Returns the inner diameter of a needle from the first readable value: `{size, unit}`, `{diameter, diameterUnit}`, or the
 * `innerDiameter` of a coaxial needle. Each is a length or a gauge.
 */
function needleDiameter(definition: FreeObject | undefined, wanted: string, references: References): Reading {
  if (definition === undefined) return 'missing';
  const { size, unit, diameter, diameterUnit, innerDiameter, innerDiameterUnit } = definition;
  const written = [
    [size, unit],
    [diameter, diameterUnit ?? unit],
    [innerDiameter, innerDiameterUnit ?? unit],
  ] as const;
  const given = written.filter(([value]) => value !== undefined && value !== null);
  for (const [value, valueUnit] of given) {
    const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || (valueUnit !== undefined && typeof valueUnit !== 'string')) continue;
    const isGauge = valueUnit !== undefined && unitOf(references, valueUnit)?.dimension === 'gauge';
    const read = isGauge ? innerDiameters.get(number) : inUnit(number, valueUnit, wanted, references);
    if (read !== undefined) return finite(read);
  }
  return given.length === 0 ? 'missing' : 'notConvertible';
}
