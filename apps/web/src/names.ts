import {
  type CategoryKey,
  type Feature,
  features,
  isSystemKey,
  SYSTEM_DASH,
  systemNames,
} from '@esd/record/filter/filter-keys';
import { displayUnits, toDisplay } from '@esd/record/units/display-units';
import { keyLabels, orderedKeys } from '@esd/record/metadata/key-labels';
import type { SubstanceKey } from '@esd/record/reference/substance-names';
import { numberText, rounded } from './format.ts';
import type { KnownNames } from './parts/known-names.tsx';

/** Names and numbers of features and categories, as pages show them. */

const units = new Map<string, string>(features.map(({ feature, unit }) => [feature, unit]));

/** The display units that the user selected, by feature. Other features use the units of the filters. */
export type ChosenUnits = Readonly<Partial<Record<Feature, string>>>;

export function isFeature(key: string): key is Feature {
  return units.has(key);
}

/** The features in the order of `/metadata/features`. */
export const orderedFeatures: readonly Feature[] = orderedKeys.filter(isFeature);

/** Returns the name of a feature or a category. */
export function keyName(key: Feature | CategoryKey): string {
  return keyLabels[key].label;
}

/** Returns the name of a feature for the middle of a sentence. */
export function featureWords(feature: Feature): string {
  const name = keyName(feature);
  return name.startsWith('Young') ? name : name.charAt(0).toLowerCase() + name.slice(1);
}

/** Returns the text of a value of a category: a short name of a polymer or a solvent, the authors and year of a paper. */
export function valueText(key: CategoryKey, value: string, known: KnownNames): string {
  const { paperOf, substanceOf } = known;
  if (key === 'polymer' || key === 'solvent') return substanceOf(key, value).shortName;
  if (isSystemKey(key)) return systemText(systemNames[key], value, known);
  if (key !== 'doi') return value;
  const { title = value, authors, year } = paperOf(value);
  return authors === undefined ? title : [authors, ...(year === undefined ? [] : [year])].join(', ');
}

/** Returns the short names of polymers or solvents that are joined by an en dash. */
export function systemText(key: SubstanceKey, value: string, { substanceOf }: KnownNames): string {
  return value
    .split(SYSTEM_DASH)
    .map((name) => substanceOf(key, name).shortName)
    .join(SYSTEM_DASH);
}

export function unitOf(feature: Feature, chosen: ChosenUnits): string {
  const name = chosen[feature];
  const isOffered = displayUnits(feature).some(({ unit }) => unit === name);
  return (isOffered ? name : undefined) ?? units.get(feature) ?? '';
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

/** Formats a computed value, such as a median, with three significant digits. */
export function computedText(value: number): string {
  return numberText(rounded(value));
}

/** Appends the unit, without a space before % and °. The unit `1` is not written. */
export function withUnit(text: string, unit: string): string {
  if (unit === '1') return text;
  return unit === '%' || unit === '°' ? `${text}${unit}` : `${text}\u202f${unit}`;
}

/** Formats a share as an integer percentage. 0% and 100% are exact. With a whole below five, the text is "2 of 4". */
export function shareText(count: number, whole: number): string {
  if (whole < 5) return `${count} of ${whole}`;
  const percent = Math.round((100 * count) / whole);
  return `${count > 0 && count < whole ? Math.min(99, Math.max(1, percent)) : percent}%`;
}
