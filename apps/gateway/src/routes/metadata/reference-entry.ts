import { z } from 'zod';
import { type Instability, type Morphology, type Substance, type Unit } from '@esd/proto/esd/dataset/v1/reference';
import { propertiesOf } from '@esd/record/reference/properties-of';
import { fold, spellingsOf } from '@esd/record/reference/reference';
import { substanceNames } from '@esd/record/reference/substance-names';

const retired = z
  .literal(true)
  .optional()
  .meta({ description: 'A retired entry remains valid for the records that use it. New submissions cannot use it.' });

export const substance = z.strictObject({
  id: z.int(),
  name: z.string(),
  fullName: z.string().optional(),
  casNumber: z.string().optional(),
  abbreviation: z.string().optional(),
  aliases: z.array(z.string()),
  kind: z.string(),
  sameAs: z.string().optional(),
  retired,
  displayName: z.string().meta({ description: 'The full name with the abbreviation, or the name that the entry has.' }),
  shortName: z.string().meta({ description: 'The abbreviation; without one, the full name or the name.' }),
});

export const solvent = substance.extend({
  inchiKey: z.string().optional(),
  pubchemCid: z.int().optional().meta({ description: 'The identifier of the compound in PubChem.' }),
  properties: z
    .array(
      z.strictObject({
        property: z.string(),
        value: z.number(),
        unit: z.string(),
        temperatureCelsius: z.number().optional(),
        source: z.string(),
      }),
    )
    .meta({ description: 'Properties of the pure solvent. An entry with `sameAs` has those of that entry.' }),
});

export const unit = z.strictObject({
  id: z.int(),
  unit: z.string(),
  name: z.string(),
  dimension: z.string(),
  canonical: z.string().optional(),
  factor: z.number().optional(),
  offset: z.number().optional(),
  aliases: z.array(z.string()),
  ucumCode: z
    .string()
    .optional()
    .meta({ description: 'The code of the unit in the Unified Code for Units of Measure.' }),
  qudtUri: z.string().optional().meta({ description: 'The URI of the unit in the QUDT ontology.' }),
  retired,
});

export const morphology = z.strictObject({
  id: z.int(),
  label: z.string(),
  abbreviation: z.string().optional(),
  definition: z.string(),
  synonyms: z.array(z.string()),
  retired,
});
/** A morphology outside a list by category. */
export const groupedMorphology = morphology.extend({ category: z.string() });

export const instability = z.strictObject({
  id: z.int(),
  label: z.string(),
  category: z.string(),
  definition: z.string(),
  synonyms: z.array(z.string()),
  retired,
});

type SubstanceAnswer = z.output<typeof substance>;
type SolventAnswer = z.output<typeof solvent>;
type UnitAnswer = z.output<typeof unit>;
type MorphologyAnswer = z.output<typeof morphology>;
type GroupedMorphologyAnswer = z.output<typeof groupedMorphology>;
type InstabilityAnswer = z.output<typeof instability>;

const ifRetired = (value: boolean): { retired?: true } => (value ? { retired: true } : {});

export function substanceOf(entry: Substance): SubstanceAnswer {
  const { id, name, fullName, casNumber, abbreviation, aliases, kind, sameAs, retired } = entry;
  const names = substanceNames(entry);
  return { id, name, fullName, casNumber, abbreviation, aliases, kind, sameAs, ...ifRetired(retired), ...names };
}

/** @param solvents the list that contains the entry, which may have the properties of another one */
export function solventOf(entry: Substance, solvents: readonly Substance[]): SolventAnswer {
  const { inchiKey, pubchemCid } = entry;
  const find = (text: string) =>
    solvents.find(({ name }) => name === text) ??
    solvents.find((one) => spellingsOf('solvents', one).some(([, spelling]) => fold(spelling) === fold(text)));
  return { ...substanceOf(entry), inchiKey, pubchemCid, properties: propertiesOf(entry, find) };
}

export function unitOf(entry: Unit): UnitAnswer {
  const { id, unit, name, dimension, canonical, factor, offset, aliases, ucumCode, qudtUri, retired } = entry;
  return { id, unit, name, dimension, canonical, factor, offset, aliases, ucumCode, qudtUri, ...ifRetired(retired) };
}

export function morphologyOf(entry: Morphology): MorphologyAnswer {
  const { id, label, abbreviation, definition, synonyms, retired } = entry;
  return { id, label, abbreviation, definition, synonyms, ...ifRetired(retired) };
}

export function groupedMorphologyOf(entry: Morphology): GroupedMorphologyAnswer {
  return { ...morphologyOf(entry), category: entry.category };
}

export function instabilityOf(entry: Instability): InstabilityAnswer {
  const { id, label, category, definition, synonyms, retired } = entry;
  return { id, label, category, definition, synonyms, ...ifRetired(retired) };
}
