import type { Filter } from '../filter/filter.ts';
import { type CategoryKey, categoryKeys, type Feature, features } from '../filter/filter-keys.ts';

export type KeyGroup = 'solution' | 'process' | 'ambient' | 'fiber' | 'properties' | 'paper';

/** A setting has a value before the run; every other key is a result. */
export type KeyKind = 'setting' | 'result';

export interface KeyLabel {
  /** The display name on all pages. */
  readonly label: string;
  readonly group: KeyGroup;
  readonly kind: KeyKind;
}

const of =
  (group: KeyGroup, kind: KeyKind) =>
  (label: string): KeyLabel => ({ label, group, kind });
const solution = of('solution', 'setting');
const process = of('process', 'setting');
const ambient = of('ambient', 'setting');
const fiber = of('fiber', 'result');
const property = of('properties', 'result');
const paper = of('paper', 'setting');

/** The labels in the order of `/metadata/features`. Apart from the descriptions, because pages in a browser load them. */
export const keyLabels: Readonly<Record<Feature | CategoryKey, KeyLabel>> = {
  polymer: solution('Polymer'),
  solvent: solution('Solvent'),
  concentration: solution('Concentration'),
  solventBoilingPoint: solution('Solvent boiling point'),
  solventDielectricConstant: solution('Solvent dielectric constant'),
  solventHansenHydrogen: solution('Solvent Hansen hydrogen bonding'),
  needleType: process('Needle type'),
  needleDiameter: process('Needle inner diameter'),
  collectorType: process('Collector'),
  voltage: process('Voltage'),
  flowRate: process('Flow rate'),
  tipDist: process('Tip–collector distance'),
  fieldStrength: process('Field strength'),
  temp: ambient('Temperature'),
  humidity: ambient('Humidity'),
  isFormationStable: fiber('Stable fiber formation'),
  instability: fiber('Instability'),
  fiberDiameter: fiber('Fiber diameter'),
  variation: fiber('Diameter variation'),
  weight: fiber('Product weight'),
  morphology: fiber('Morphology'),
  tensileStrength: property('Tensile strength'),
  modulus: property("Young's modulus"),
  elongationAtBreak: property('Elongation at break'),
  fractureBehaviour: property('Fracture behavior'),
  surfaceArea: property('Specific surface area'),
  porosity: property('Porosity'),
  permeability: property('Permeability'),
  wettability: property('Contact angle'),
  electricalConductivity: property('Electrical conductivity'),
  thermalConductivity: property('Thermal conductivity'),
  doi: paper('Paper'),
  year: paper('Year'),
  journal: paper('Journal'),
};

/** All features and categories, in the order of their labels. */
export const orderedKeys: readonly (Feature | CategoryKey)[] = Object.keys(keyLabels).flatMap(
  (name) => features.find(({ feature }) => feature === name)?.feature ?? categoryKeys.find((key) => key === name) ?? [],
);

const results: ReadonlySet<string> = new Set(orderedKeys.filter((key) => keyLabels[key].kind === 'result'));

/** Returns whether a filter key or the key of a recipe is a result. `status` is not. */
export function isResult(key: string): boolean {
  return results.has(key);
}

/** Returns the filter of the tried records: the conditions on settings, and the status. */
export function triedFilter(filter: Filter): Filter {
  return filter.filter(({ key }) => !isResult(key));
}
