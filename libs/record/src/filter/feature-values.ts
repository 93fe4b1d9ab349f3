import type { ExperimentData, FreeObject } from '../catalogue/catalogue.ts';
import { features } from './filter-keys.ts';
import type { Feature, FeatureKeys } from './filter-keys.ts';
import { needleGauges } from '../units/needle-gauges.ts';
import { isObject } from '../validate/read-value.ts';
import { resolveName } from '../reference/reference.ts';
import type { References, UnitEntry } from '../reference/reference.ts';
import { convert } from '../units/units.ts';

export type FeatureValues = Partial<Record<Feature, number>>;

/** A number as a text that a free member may hold it in. */
const DECIMAL = /^\d+(?:\.\d+)?$/;

const innerDiameters = new Map(needleGauges.map(({ gauge, innerDiameterMm }) => [gauge, innerDiameterMm]));

/**
 * The features of a record, each in the unit of its filter. A value without a unit is read in that unit. A feature
 * without a value, or whose unit cannot be converted (g/L to wt% needs a density), is absent.
 */
export function featureValues(data: ExperimentData, references: References): FeatureValues {
  const values: FeatureValues = {};
  for (const keys of features) {
    const value = readFeature(data, keys, references);
    if (value !== undefined) values[keys.feature] = value;
  }
  return values;
}

function readFeature(data: ExperimentData, { feature, unit }: FeatureKeys, references: References): number | undefined {
  if (feature === 'needleDiameter') return needleDiameter(data.needleProperty?.needleDefinition, unit, references);
  const quantity = quantityOf(data, feature);
  if (quantity === undefined) return undefined;
  const converted = inUnit(quantity.value, quantity.unit, unit, references);
  if (converted !== undefined || feature !== 'variation') return converted;
  return coefficientOfVariation(quantity, data.fiberProperty, references);
}

interface Quantity {
  readonly value: number;
  readonly unit: string | undefined;
}

const places = new Map(
  features.map(({ feature, path }) => {
    const [group = '', member = ''] = path.split('.');
    return [feature, { group, member, unitMember: `${member}Unit` }] as const;
  }),
);

/** A feature's value and unit as the record has them; undefined without a value, and for the needle's definition. */
export function quantityOf(data: Readonly<Record<string, unknown>>, feature: Feature): Quantity | undefined {
  const place = places.get(feature);
  const group = place && data[place.group];
  if (place === undefined || !isObject(group)) return undefined;
  const value = group[place.member];
  const unit = group[place.unitMember];
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

/** A standard deviation of the fiber diameter (a length) as a percentage of the record's own diameter. */
function coefficientOfVariation(
  deviation: Quantity,
  fiber: ExperimentData['fiberProperty'],
  references: References,
): number | undefined {
  if (fiber?.fiberDiameter === undefined) return undefined;
  const diameter = inUnit(fiber.fiberDiameter, fiber.fiberDiameterUnit, 'nm', references);
  const length = inUnit(deviation.value, deviation.unit, 'nm', references);
  if (diameter === undefined || length === undefined || diameter <= 0) return undefined;
  const percent = (length * 100) / diameter;
  return Number.isFinite(percent) ? percent : undefined;
}

/**
 * The inner diameter of a needle, from `{size, unit}`, `{diameter, diameterUnit}` or the `innerDiameter` of a coaxial
 * one, each a length or a gauge; the first that can be read.
 */
function needleDiameter(
  definition: FreeObject | undefined,
  wanted: string,
  references: References,
): number | undefined {
  if (definition === undefined) return undefined;
  const { size, unit, diameter, diameterUnit, innerDiameter, innerDiameterUnit } = definition;
  const written = [
    [size, unit],
    [diameter, diameterUnit ?? unit],
    [innerDiameter, innerDiameterUnit ?? unit],
  ] as const;
  for (const [value, valueUnit] of written) {
    const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || (valueUnit !== undefined && typeof valueUnit !== 'string')) continue;
    const isGauge = valueUnit !== undefined && unitOf(references, valueUnit)?.dimension === 'gauge';
    const read = isGauge ? innerDiameters.get(number) : inUnit(number, valueUnit, wanted, references);
    if (read !== undefined) return read;
  }
  return undefined;
}
