import type { SubstanceEntry } from './reference.ts';
import { type SolventProperty, solventProperties } from './solvent-properties.ts';

const NONE: readonly SolventProperty[] = [];

type Solvent = Pick<SubstanceEntry, 'name' | 'aliases' | 'sameAs'>;

/**
 * Returns the properties of a solvent, in the order of the table; those of the target for an entry with `sameAs`. The table
 * has original names, which a renamed entry has as aliases.
 * @param find finds the entry that has a name as its own or as an alias
 */
export function propertiesOf(
  entry: Solvent | undefined,
  find: (name: string) => Solvent | undefined,
): readonly SolventProperty[] {
  const target = entry?.sameAs === undefined ? entry : find(entry.sameAs);
  const known = target && [target.name, ...target.aliases].find((name) => Object.hasOwn(solventProperties, name));
  return (known === undefined ? undefined : solventProperties[known]) ?? NONE;
}
