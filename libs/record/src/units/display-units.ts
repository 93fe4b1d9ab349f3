import { type Feature, features } from '../filter/filter-keys.ts';
import { describedKeys } from '../metadata/key-labels.ts';
import { convert, type ConvertibleUnit } from './units.ts';

/** A unit in which a quantity can be displayed. Its factor equals that of the unit list, where factors never change. */
export type DisplayUnit = ConvertibleUnit;

const unit = (name: string, dimension: string, factor = 1, offset = 0): DisplayUnit => ({
  unit: name,
  dimension,
  factor,
  offset,
});

const LENGTH = 'length';
const FLOW = 'volume_flow';
const FIELD = 'electric_field';
const PRESSURE = 'pressure';

const units: ReadonlyMap<string, DisplayUnit> = new Map(
  [
    unit('kV', 'voltage'),
    unit('V', 'voltage', 0.001),
    unit('mL/h', FLOW),
    unit('µL/min', FLOW, 0.06),
    unit('µL/h', FLOW, 0.001),
    unit('mL/min', FLOW, 60),
    unit('nm', LENGTH),
    unit('µm', LENGTH, 1_000),
    unit('mm', LENGTH, 1e6),
    unit('cm', LENGTH, 1e7),
    unit('in', LENGTH, 25_400_000),
    unit('m', LENGTH, 1e9),
    unit('kV/cm', FIELD),
    unit('V/cm', FIELD, 0.001),
    unit('kV/m', FIELD, 0.01),
    unit('kV/mm', FIELD, 10),
    unit('°C', 'temperature'),
    unit('K', 'temperature', 1, -273.15),
    unit('°F', 'temperature', 0.5555555555555556, -17.77777777777778),
    unit('MPa', PRESSURE),
    unit('GPa', PRESSURE, 1_000),
    unit('kPa', PRESSURE, 0.001),
    unit('psi', PRESSURE, 0.006894757293168361),
    unit('cm²', 'permeability'),
    unit('m²', 'permeability', 10_000),
    unit('S/m', 'conductivity'),
    unit('S/cm', 'conductivity', 100),
  ].map((entry) => [entry.unit, entry]),
);

const unitsByFeature: ReadonlyMap<Feature, readonly DisplayUnit[]> = new Map(
  features.map(({ feature, unit: filterUnit }) => {
    const { displayUnits: names = [] } = describedKeys.find(({ key }) => key === feature) ?? {};
    return [feature, names.length === 0 ? [] : [filterUnit, ...names].flatMap((name) => units.get(name) ?? [])];
  }),
);

/** Returns the display units of a feature, filter unit first; empty if it has only that one. */
export function displayUnits(feature: Feature): readonly DisplayUnit[] {
  return unitsByFeature.get(feature) ?? [];
}

/** Converts a value from the filter unit to a display unit; returns it unchanged for an unknown unit. */
export function toDisplay(feature: Feature, value: number, name: string): number {
  const { from, to } = between(feature, name);
  return (from && to && convert(value, from, to)) ?? value;
}

/** Converts a value from a display unit to the filter unit; returns it unchanged for an unknown unit. */
export function fromDisplay(feature: Feature, value: number, name: string): number {
  const { from, to } = between(feature, name);
  return (from && to && convert(value, to, from)) ?? value;
}

function between(feature: Feature, name: string): { from?: DisplayUnit | undefined; to?: DisplayUnit | undefined } {
  const units = displayUnits(feature);
  return { from: units[0], to: units.find(({ unit: known }) => known === name) };
}
