import type { Column, PointColor, RecipeKey } from '@esd/pages/explore-view';
import { SOLVENT_SYSTEM } from '@esd/pages/explore-view';
import { type CategoryKey, type Feature, features } from '@esd/record/filter/filter-keys';
import { displayUnits, toDisplay } from '@esd/record/units/display-units';
import { numberText, rounded } from './format.ts';

/** Display names of the features and categories of `/explore`. */

const FEATURES: Readonly<Record<Feature, readonly [name: string, short: string]>> = {
  concentration: ['Concentration', 'Conc.'],
  needleDiameter: ['Needle inner diameter', 'Needle'],
  voltage: ['Voltage', 'Voltage'],
  flowRate: ['Flow rate', 'Flow'],
  tipDist: ['Tip-to-collector distance', 'Distance'],
  temp: ['Temperature', 'Temp.'],
  humidity: ['Humidity', 'Humidity'],
  fiberDiameter: ['Fiber diameter', 'Diameter'],
  variation: ['Diameter variation', 'Variation'],
  weight: ['Product weight', 'Weight'],
  tensileStrength: ['Tensile strength', 'Strength'],
  modulus: ["Young's modulus", 'Modulus'],
  elongationAtBreak: ['Elongation at break', 'Elongation'],
  surfaceArea: ['Specific surface area', 'Surface'],
  porosity: ['Porosity', 'Porosity'],
  permeability: ['Permeability', 'Permeability'],
  wettability: ['Contact angle', 'Contact angle'],
  electricalConductivity: ['Electrical conductivity', 'El. cond.'],
  thermalConductivity: ['Thermal conductivity', 'Th. cond.'],
  fieldStrength: ['Field strength', 'Field'],
  solventBoilingPoint: ['Solvent boiling point', 'Boiling'],
  solventDielectricConstant: ['Solvent dielectric constant', 'Dielectric'],
  solventHansenHydrogen: ['Solvent Hansen hydrogen bonding', 'Hansen H'],
};

const CATEGORIES: Readonly<Record<CategoryKey, string>> = {
  polymer: 'Polymer',
  solvent: 'Solvent',
  isFormationStable: 'Stable fiber formation',
  collectorType: 'Collector',
  needleType: 'Needle type',
  morphology: 'Morphology',
  instability: 'Instability',
  fractureBehaviour: 'Fracture behavior',
  doi: 'Paper',
  year: 'Year',
  journal: 'Journal',
};

const units = new Map<string, string>(features.map(({ feature, unit }) => [feature, unit]));

/** The display units that the user selected, by feature. Other features use the units of the filters. */
export type ChosenUnits = Readonly<Partial<Record<Feature, string>>>;

export function isFeature(key: string): key is Feature {
  return units.has(key);
}

export function featureName(feature: Feature): string {
  return FEATURES[feature][0];
}

/** Returns the name of a feature for the middle of a sentence. */
export function featureWords(feature: Feature): string {
  const name = featureName(feature);
  return name.startsWith('Young') ? name : name.toLowerCase();
}

export function shortName(feature: Feature): string {
  return FEATURES[feature][1];
}

export function categoryName(key: CategoryKey): string {
  return CATEGORIES[key];
}

export function columnName(column: Column): string {
  if (isFeature(column)) return shortName(column);
  return column === 'isFormationStable' ? 'Stable' : CATEGORIES[column];
}

export function colorName(color: PointColor): string {
  return color === SOLVENT_SYSTEM ? 'Solvent system' : CATEGORIES[color];
}

export function recipeName(key: RecipeKey): string {
  return isFeature(key) ? FEATURES[key][0] : CATEGORIES[key];
}

export function unitOf(feature: Feature, chosen: ChosenUnits): string {
  const name = chosen[feature];
  const known = displayUnits(feature).some(({ unit }) => unit === name);
  return (known ? name : undefined) ?? units.get(feature) ?? '';
}

/** Converts a value from the unit of its filter to the display unit. */
export function shown(feature: Feature, value: number, chosen: ChosenUnits): number {
  const name = chosen[feature];
  return name === undefined ? value : toDisplay(feature, value, name);
}

/** Formats a computed value with three significant digits; values of 1,000 or more as integers. */
export function figureText(value: number): string {
  return numberText(Math.abs(value) >= 1_000 ? Math.round(value) : rounded(value));
}

/** Appends the unit, without a space before % and °. The unit `1` is not written. */
export function withUnit(text: string, unit: string): string {
  if (unit === '1') return text;
  return unit === '%' || unit === '°' ? `${text}${unit}` : `${text}\u202f${unit}`;
}

/** Formats a share as an integer percentage. 0% and 100% are exact. With a whole below five, the text is "2 of 4". */
export function shareText(part: number, whole: number): string {
  if (whole < 5) return `${part} of ${whole}`;
  const percent = Math.round((100 * part) / whole);
  return `${part > 0 && part < whole ? Math.min(99, Math.max(1, percent)) : percent}%`;
}

/** Returns the URL of a paper; undefined if the text is not a DOI. */
export function paperAddress(doi: string): string | undefined {
  return /^10\.\d{4,9}\/\S+$/.test(doi) ? `https://doi.org/${encodeURI(doi)}` : undefined;
}
