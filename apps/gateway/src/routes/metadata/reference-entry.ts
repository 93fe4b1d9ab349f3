import type { ResponseOf } from '@esd/api/operation';
import type { instabilities, morphologies, polymers, solvents, units } from '@esd/api/reference-entries';
import { type Instability, type Morphology, type Substance, type Unit } from '@esd/proto/esd/dataset/v1/reference';
import { propertiesOf } from '@esd/record/reference/properties-of';
import { fold } from '@esd/record/reference/fold';
import { spellingsOf } from '@esd/record/reference/reference';
import { substanceNames } from '@esd/record/reference/substance-names';

type SubstanceEntry = ResponseOf<typeof polymers.add>;
type SolventEntry = ResponseOf<typeof solvents.add>;
type UnitEntry = ResponseOf<typeof units.add>;
type MorphologyEntry = ResponseOf<typeof morphologies.add>;
type InstabilityEntry = ResponseOf<typeof instabilities.add>;

const ifRetired = (value: boolean): { retired?: true } => (value ? { retired: true } : {});

export function substanceOf(entry: Substance): SubstanceEntry {
  const { id, name, fullName, casNumber, abbreviation, aliases, kind, sameAs, retired } = entry;
  const names = substanceNames(entry);
  return { id, name, fullName, casNumber, abbreviation, aliases, kind, sameAs, ...ifRetired(retired), ...names };
}

/** @param solvents the list that contains the entry, which may have the properties of another one */
export function solventOf(entry: Substance, solvents: readonly Substance[]): SolventEntry {
  const { inchiKey, pubchemCid } = entry;
  const find = (text: string) =>
    solvents.find(({ name }) => name === text) ??
    solvents.find((one) => spellingsOf('solvents', one).some(([, spelling]) => fold(spelling) === fold(text)));
  return { ...substanceOf(entry), inchiKey, pubchemCid, properties: propertiesOf(entry, find) };
}

export function unitOf(entry: Unit): UnitEntry {
  const { id, unit, name, dimension, canonical, factor, offset, aliases, ucumCode, qudtUri, retired } = entry;
  return { id, unit, name, dimension, canonical, factor, offset, aliases, ucumCode, qudtUri, ...ifRetired(retired) };
}

export function morphologyOf(entry: Morphology): Omit<MorphologyEntry, 'category'> {
  const { id, label, abbreviation, definition, synonyms, retired } = entry;
  return { id, label, abbreviation, definition, synonyms, ...ifRetired(retired) };
}

export function groupedMorphologyOf(entry: Morphology): MorphologyEntry {
  return { ...morphologyOf(entry), category: entry.category };
}

export function instabilityOf(entry: Instability): InstabilityEntry {
  const { id, label, category, definition, synonyms, retired } = entry;
  return { id, label, category, definition, synonyms, ...ifRetired(retired) };
}
