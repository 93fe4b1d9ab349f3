import { fold } from './fold.ts';
import { spellingsOf, type SubstanceEntry } from './reference.ts';
import { PROPERTY_UNITS, solventProperties } from './solvent-properties.ts';

/** A property of a pure solvent. The dielectric constant is relative and has the unit `1`. */
export interface SolventProperty {
  readonly property: keyof typeof PROPERTY_UNITS;
  readonly value: number;
  readonly unit: string;
  readonly temperatureCelsius?: number;
  readonly source: string;
}

/** Finds the entry that a name, also a previous one, resolves to. */
type FindSolvent = (name: string) => SubstanceEntry | undefined;

/** Returns the properties of a solvent, in the order of the table; those of the target for an entry with `sameAs`. */
export function propertiesOf(entry: SubstanceEntry, find: FindSolvent): SolventProperty[] {
  return rowsOf(entry, find).map(([property, value, source, temperatureCelsius]) => ({
    property,
    value,
    unit: PROPERTY_UNITS[property],
    ...(temperatureCelsius === undefined ? {} : { temperatureCelsius }),
    source,
  }));
}

/** Returns the value of one property in its unit; undefined if the table has none. */
export function propertyOf(
  entry: SubstanceEntry | undefined,
  wanted: SolventProperty['property'],
  find: FindSolvent,
): number | undefined {
  return entry && rowsOf(entry, find).find(([property]) => property === wanted)?.[1];
}

function rowsOf(entry: SubstanceEntry, find: FindSolvent) {
  const target = entry.sameAs === undefined ? entry : find(entry.sameAs);
  if (target === undefined) return [];
  // The table has the original names in capitals. A renamed entry has the original name among its spellings, in any case.
  const isKnown = (name: string): boolean => Object.hasOwn(solventProperties, name);
  const known = isKnown(target.name)
    ? target.name
    : spellingsOf('solvents', target)
        .map(([, text]) => fold(text).toUpperCase())
        .find(isKnown);
  return (known === undefined ? undefined : solventProperties[known]) ?? [];
}
