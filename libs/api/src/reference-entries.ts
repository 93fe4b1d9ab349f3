import { isCasNumber } from '@esd/record/reference/cas-number';
import type { EntryList, LIST_NAMES } from '@esd/record/reference/list-names';
import { z } from 'zod';
import { integerText } from './number-text.ts';
import { operation } from './operation.ts';
import { paperEntry, paperMembers } from './paper.ts';
import { success } from './success.ts';

export const entryId = integerText(1, Number.MAX_SAFE_INTEGER);

const retired = z
  .literal(true)
  .optional()
  .meta({ description: 'A retired entry remains valid for the records that use it. New submissions cannot use it.' });

const substance = z.strictObject({
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

const solvent = substance.extend({
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

const unit = z.strictObject({
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

const morphology = z.strictObject({
  id: z.int(),
  label: z.string(),
  abbreviation: z.string().optional(),
  definition: z.string(),
  synonyms: z.array(z.string()),
  retired,
});
/** A morphology outside a list by category. */
const groupedMorphology = morphology.extend({ category: z.string() });

const instability = z.strictObject({
  id: z.int(),
  label: z.string(),
  category: z.string(),
  definition: z.string(),
  synonyms: z.array(z.string()),
  retired,
});

const texts = z.array(z.string()).default([]);
const retiredFlag = z.boolean().default(false).meta({
  default: false,
  description: 'A retired entry remains valid for the records that use it. New submissions cannot use it.',
});

/** A member of responses that the service derives, so that clients can send an entry back. */
const ignored = z
  .unknown()
  .transform((): undefined => undefined)
  .optional()
  .meta({ description: 'Ignored, because the service derives the member.' });

// dataset-svc checks the texts and reports all problems together.
const substanceBody = substance.omit({ id: true }).extend({
  aliases: texts,
  kind: z.string().default('unknown'),
  sameAs: z.string().optional().meta({ description: 'The entry for which this name is a legacy spelling.' }),
  retired: retiredFlag,
  displayName: ignored,
  shortName: ignored,
});
const { inchiKey, pubchemCid } = solvent.shape;
const solventBody = z.strictObject({ ...substanceBody.shape, inchiKey, pubchemCid, properties: ignored });
const unitBody = unit.omit({ id: true }).extend({
  factor: unit.shape.factor.meta({ description: 'Value in the canonical unit = value × factor + offset.' }),
  aliases: texts,
  retired: retiredFlag,
});
const labelBody = instability.omit({ id: true }).extend({ synonyms: texts, retired: retiredFlag });
const morphologyBody = z.strictObject({ ...labelBody.shape, abbreviation: z.string().optional() });

const ADMIN = 'Requires the role ADMIN.';
const IF_MATCH = {
  'If-Match': 'The entity tag of the list. The call fails with 412 if the list has changed.',
};
const TAG = { ETag: 'The entity tag of the list after the change.' };

const ignoredId = z
  .unknown()
  .transform((): undefined => undefined)
  .optional()
  .meta({ description: 'Ignored; the path has the id.' });
const paperBody = z.strictObject({
  doi: z.string().meta({ description: 'The DOI in any spelling, or the text that records have instead.' }),
  ...paperMembers,
  authors: paperMembers.authors.default([]),
  id: ignoredId,
  source: ignored,
  updatedAt: ignored,
});

/** Adds the id of the entry, which must equal the id in the path. */
function withId<Shape extends z.ZodRawShape>(body: z.ZodObject<Shape>) {
  return z.strictObject({ ...body.shape, id: z.int().optional() });
}

const casQuery = z.object({
  cas: z.string().refine(isCasNumber, 'must be a CAS number with a correct check digit, such as 9002-89-5'),
});

interface ListDescriptor<
  Name extends EntryList,
  Entry extends z.ZodType,
  Body extends z.ZodObject,
  WholeBody extends z.ZodObject,
> {
  name: Name;
  singular: string;
  entry: Entry;
  body: Body;
  /** The body of a replacement. */
  wholeBody: WholeBody;
  example: object;
  /** The rule for deletions. By default, only an entry that no record has ever used can be deleted. */
  deletes?: string;
  /** The consequences of a replacement, by default for the previous name. */
  replaces?: string;
}

/** Declares the operations that create, replace and delete the entries of a list. */
function entryOperations<
  const Name extends EntryList,
  Entry extends z.ZodType,
  Body extends z.ZodObject,
  WholeBody extends z.ZodObject,
>({
  name,
  singular,
  entry,
  body,
  wholeBody,
  example,
  deletes,
  replaces = 'The previous name remains an alias. Records and releases do not change.',
}: ListDescriptor<Name, Entry, Body, WholeBody>) {
  const common = { caller: 'required', role: 'ADMIN' } as const;
  const tag = 'Reference lists';
  const withArticle = `${/^[aeio]/.test(singular) ? 'an' : 'a'} ${singular}`;
  const parameters = z.object({ id: entryId });
  return {
    name,
    singular,
    /** Whether records that use an entry prevent its deletion. */
    isUseChecked: deletes === undefined,
    add: operation({
      ...common,
      method: 'post',
      path: `/metadata/${name}`,
      describe: {
        tag,
        summary: `Add ${withArticle}`,
        details: `${ADMIN} The entry is available to the next submission.`,
        returns: 'The entry.',
        status: 201,
        headers: IF_MATCH,
        answerHeaders: { Location: 'The URL of the entry.', ...TAG },
        errors: ['FORBIDDEN', 'PRECONDITION_FAILED'],
        example: { body: example },
      },
      body,
      response: entry,
    }),
    replace: operation({
      ...common,
      method: 'put',
      path: `/metadata/${name}/{id}`,
      describe: {
        tag,
        summary: `Replace ${withArticle}`,
        details: `${ADMIN} Send the complete entry. ${replaces}`,
        returns: 'The entry.',
        headers: IF_MATCH,
        answerHeaders: TAG,
        errors: ['FORBIDDEN', 'ENTRY_NOT_FOUND', 'PRECONDITION_FAILED'],
        example: { parameters: { id: 1 }, body: example },
      },
      parameters,
      body: wholeBody,
      response: entry,
    }),
    remove: operation({
      ...common,
      method: 'delete',
      path: `/metadata/${name}/{id}`,
      describe: {
        tag,
        summary: `Delete ${withArticle}`,
        details: `${ADMIN} ${deletes ?? 'An entry can be deleted only if no record uses it and no published record has ever used it. Retire other entries with PUT and `retired`.'}`,
        returns: 'A confirmation that the entry is deleted.',
        headers: IF_MATCH,
        errors: [
          ...(['FORBIDDEN', 'ENTRY_NOT_FOUND', 'PRECONDITION_FAILED'] as const),
          ...(deletes === undefined ? (['CONFLICT'] as const) : []),
        ],
        example: { parameters: { id: 1 } },
      },
      parameters,
      response: success,
    }),
  };
}

function listOperation<const Name extends (typeof LIST_NAMES)[number], Response extends z.ZodType>(
  name: Name,
  summary: string,
  returns: string,
  response: Response,
) {
  return operation({
    method: 'get',
    path: `/metadata/${name}`,
    caller: 'ignored',
    describe: { tag: 'Reference lists', summary, returns, revalidates: true },
    response,
  });
}

function searchOperation<const Name extends 'polymers' | 'solvents', Response extends z.ZodType>(
  name: Name,
  summary: string,
  cas: string,
  response: Response,
) {
  return operation({
    method: 'get',
    path: `/metadata/${name}/search`,
    caller: 'ignored',
    describe: {
      tag: 'Reference lists',
      summary,
      returns: 'The first entry with this number.',
      errors: ['ENTRY_NOT_FOUND'],
      example: { parameters: { cas } },
      revalidates: true,
    },
    query: casQuery,
    response,
  });
}

export const listPolymers = listOperation(
  'polymers',
  'List all polymers',
  'The polymers, in ascending order of id.',
  z.array(substance),
);
export const findPolymer = searchOperation('polymers', 'Find a polymer by its CAS number', '9002-89-5', substance);
export const listSolvents = listOperation(
  'solvents',
  'List all solvents',
  'The solvents, in ascending order of id.',
  z.array(solvent),
);
export const findSolvent = searchOperation('solvents', 'Find a solvent by its CAS number', '67-64-1', solvent);
export const listMorphologies = listOperation(
  'morphologies',
  'List the morphology labels by category',
  'The labels of each category.',
  z.record(z.string(), z.array(morphology)),
);
export const listUnits = listOperation(
  'units',
  'List all units of measurement',
  'The units with their conversions.',
  z.array(unit),
);
export const listInstabilities = listOperation(
  'instabilities',
  'List the instabilities of the jet',
  'The labels with their categories.',
  z.array(instability),
);

export const polymers = entryOperations({
  name: 'polymers',
  singular: 'polymer',
  example: { name: 'EXAMPLE_POLYMER', fullName: 'Poly(example)', kind: 'polymer' },
  entry: substance,
  body: substanceBody,
  wholeBody: withId(substanceBody),
});
export const solvents = entryOperations({
  name: 'solvents',
  singular: 'solvent',
  example: { name: 'EXAMPLE_SOLVENT', fullName: 'Example solvent', kind: 'solvent' },
  entry: solvent,
  body: solventBody,
  wholeBody: withId(solventBody),
});
export const units = entryOperations({
  name: 'units',
  singular: 'unit',
  example: { unit: 'dag', name: 'decagram', dimension: 'mass', canonical: 'mg', factor: 10_000, offset: 0 },
  entry: unit,
  body: unitBody,
  wholeBody: withId(unitBody),
});
export const morphologies = entryOperations({
  name: 'morphologies',
  singular: 'morphology',
  example: { label: 'Example shape', category: 'Shape', definition: 'An example of a shape.' },
  entry: groupedMorphology,
  body: morphologyBody,
  wholeBody: withId(morphologyBody),
});
export const instabilities = entryOperations({
  name: 'instabilities',
  singular: 'instability',
  example: { label: 'Example', category: 'Jet', definition: 'An example of an instability.' },
  entry: instability,
  body: labelBody,
  wholeBody: withId(labelBody),
});
export const papers = entryOperations({
  name: 'papers',
  singular: 'paper',
  example: { doi: '10.1000/example', title: 'An example', authors: [{ family: 'Doe', given: 'J.' }], year: 2020 },
  deletes: 'An entry that records use can be deleted too; these records only lose the title.',
  replaces: 'Records and releases do not change. `source` becomes `entered`.',
  entry: paperEntry,
  body: paperBody,
  wholeBody: paperBody,
});
