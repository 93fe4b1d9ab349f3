import type { SubstanceEntry } from './reference.ts';
import { PROPERTY_UNITS, solventProperties } from './solvent-properties.ts';

/** A property of a pure solvent. The dielectric constant is relative and has the unit `1`. */
export interface SolventProperty {
  readonly property: keyof typeof PROPERTY_UNITS;
  readonly value: number;
  readonly unit: string;
  readonly temperatureCelsius?: number;
  readonly source: string;
}

type Solvent = Pick<SubstanceEntry, 'name' | 'aliases' | 'sameAs'>;
/** Finds the entry that has a name as its own or as an alias. */
type FindSolvent = (name: string) => Solvent | undefined;

/**
 * Returns the properties of a solvent, in the order of the table; those of the target for an entry with `sameAs`. The table
 * has original names, which a renamed entry has as aliases.
 */
export function propertiesOf(entry: Solvent, find: FindSolvent): SolventProperty[] {
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
  entry: Solvent | undefined,
  wanted: SolventProperty['property'],
  find: FindSolvent,
): number | undefined {
  return entry && rowsOf(entry, find).find(([property]) => property === wanted)?.[1];
}

function rowsOf(entry: Solvent, find: FindSolvent) {
  const target = entry.sameAs === undefined ? entry : find(entry.sameAs);
  const known = target && [target.name, ...target.aliases].find((name) => Object.hasOwn(solventProperties, name));
  return (known === undefined ? undefined : solventProperties[known]) ?? [];
}
