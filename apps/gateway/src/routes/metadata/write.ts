import { paperEntry, paperMembers } from '@esd/api/paper';
import { success } from '@esd/api/success';
import { z } from 'zod';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { type ChangedEntry, type EntryRefusal, type ListedEntry } from '@esd/proto/esd/dataset/v1/reference';
import type { ALL_LISTS } from '@esd/record/reference/list-names';
import { listToWire } from '@esd/dataset-client/list-names';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { entityTagsOf } from '../../http/if-match.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import { locationOf } from '../../http/public-url.ts';
import { integerText } from '@esd/api/number-text';
import {
  groupedMorphology,
  groupedMorphologyOf,
  instability,
  instabilityOf,
  solvent,
  solventOf,
  substance,
  substanceOf,
  unit,
  unitOf,
} from './reference-entry.ts';
import type { Call } from '../../http/call.ts';
import { type BodyReader, route, type Route } from '../../http/route.ts';
import { taggedState, stateTag } from '../../http/state-tag.ts';
import { paperEntryOf } from '../../schemas/paper.ts';
import type { Upstream } from '../../upstream/upstream.ts';

type ListName = (typeof ALL_LISTS)[number];

const entryId = integerText(1, Number.MAX_SAFE_INTEGER);
const texts = z.array(z.string()).default([]);
const retired = z.boolean().default(false).meta({
  default: false,
  description: 'A retired entry remains valid for the records that use it. New submissions cannot use it.',
});

/** The id of an entry that a client sends back; it must equal the id in the path. */
const sentId = { id: z.int().optional() };

/** A member of responses that the service derives, so that clients can send an entry back. */
const ignored = z
  .unknown()
  .transform((): undefined => undefined)
  .optional()
  .meta({ description: 'Ignored, because the service derives the member.' });

// dataset-svc checks the texts and reports all problems together.
const substanceBody = z.strictObject({
  name: z.string(),
  fullName: z.string().optional(),
  casNumber: z.string().optional(),
  abbreviation: z.string().optional(),
  aliases: texts,
  kind: z.string().default('unknown'),
  sameAs: z.string().optional().meta({ description: 'The entry for which this name is a legacy spelling.' }),
  retired,
  displayName: ignored,
  shortName: ignored,
});
const solventBody = z.strictObject({
  ...substanceBody.shape,
  inchiKey: z.string().optional(),
  pubchemCid: z.int().optional().meta({ description: 'The identifier of the compound in PubChem.' }),
  properties: ignored,
});
const unitBody = z.strictObject({
  unit: z.string(),
  name: z.string(),
  dimension: z.string(),
  canonical: z.string().optional(),
  factor: z.number().optional().meta({ description: 'Value in the canonical unit = value × factor + offset.' }),
  offset: z.number().optional(),
  aliases: texts,
  ucumCode: z
    .string()
    .optional()
    .meta({ description: 'The code of the unit in the Unified Code for Units of Measure.' }),
  qudtUri: z.string().optional().meta({ description: 'The URI of the unit in the QUDT ontology.' }),
  retired,
});
const labelBody = z.strictObject({
  label: z.string(),
  category: z.string(),
  definition: z.string(),
  synonyms: texts,
  retired,
});
const morphologyBody = z.strictObject({ ...labelBody.shape, abbreviation: z.string().optional() });

const ADMIN = 'Requires the role ADMIN.';
const IF_MATCH = {
  'If-Match': 'The entity tag of the list. The call fails with 412 if the list has changed.',
};
const TAG = { ETag: 'The entity tag of the list after the change.' };

const PAPER_BYTES = 1024 * 1024;
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

interface ListDescription {
  singular: string;
  example: object;
  /** The rule for deletions. By default, only an entry that no record has ever used can be deleted. */
  deletes?: string;
  /** The consequences of a replacement, by default for the previous name. */
  replaces?: string;
}

export function metadataWriteRoutes(
  { reference, referenceUse }: Pick<Upstream, 'reference' | 'referenceUse'>,
  states: Pick<DatasetStates, 'observe'>,
): Route[] {
  /** Returns the routes that create, replace and delete the entries of one list. */
  const listRoutes = <Body, Answer extends { id: number }>(
    list: ListName,
    {
      singular,
      example,
      deletes,
      replaces = 'The previous name remains an alias. Records and releases do not change.',
    }: ListDescription,
    newBody: BodyReader<Body>,
    wholeBody: BodyReader<Body & { id?: number | undefined }>,
    answer: z.ZodType<Answer>,
    toMessage: (body: Body, id: number) => ListedEntry['entry'],
    fromMessage: (entry: ListedEntry['entry'], call: Call) => Answer | undefined | Promise<Answer | undefined>,
  ): Route[] => {
    const path = `/metadata/${list}`;
    /** Unwraps the outcome and records its state, so that later reads on any replica include the change. */
    const changed = async (outcome: Outcome, call: Call): Promise<{ entry: Answer; tag: string }> => {
      if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
      const { entry, state, listsRevision } = outcome?.value ?? {};
      if (!state || listsRevision === undefined) throw new Error('the response has no outcome');
      states.observe(state);
      const written = await fromMessage(entry?.entry, call);
      if (!written) throw new Error(`the response has no ${singular}`);
      return {
        entry: written,
        tag: `"${stateTag({ datasetId: state.datasetId, revision: listsRevision }, list)}"`,
      };
    };
    return [
      route({
        method: 'post',
        path,
        caller: 'required',
        role: 'ADMIN',
        targets: ['esd.dataset.v1.ReferenceService'],
        describe: {
          tag: 'Reference lists',
          summary: `Add ${withArticle(singular)}`,
          details: `${ADMIN} The entry is available to the next submission.`,
          returns: 'The entry.',
          status: 201,
          headers: IF_MATCH,
          answerHeaders: { Location: 'The URL of the entry.', ...TAG },
          errors: ['FORBIDDEN', 'PRECONDITION_FAILED'],
          example: { body: example },
        },
        body: newBody,
        answer,
        handle: async ({ body, request, call }, response) => {
          const listsSeen = expectedState(request.headers['if-match'], list);
          const { outcome } = await reference.createEntry({ entry: { entry: toMessage(body, 0) }, listsSeen }, call);
          const { entry, tag } = await changed(outcome, call);
          response
            .status(201)
            .location(locationOf(request, `${path}/${entry.id}`))
            .set('ETag', tag)
            .json(entry);
        },
      }),
      route({
        method: 'put',
        path: `${path}/:id`,
        caller: 'required',
        role: 'ADMIN',
        targets: ['esd.dataset.v1.ReferenceService'],
        describe: {
          tag: 'Reference lists',
          summary: `Replace ${withArticle(singular)}`,
          details: `${ADMIN} Send the complete entry. ${replaces}`,
          returns: 'The entry.',
          headers: IF_MATCH,
          answerHeaders: TAG,
          errors: ['FORBIDDEN', 'ENTRY_NOT_FOUND', 'PRECONDITION_FAILED'],
          example: { parameters: { id: 1 }, body: example },
        },
        parameters: z.object({ id: entryId }),
        body: wholeBody,
        answer,
        handle: async ({ parameters: { id }, body, request, call }, response) => {
          if (body.id !== undefined && body.id !== id) throw wrongId(body.id, id);
          const listsSeen = expectedState(request.headers['if-match'], list);
          const { outcome } = await reference.replaceEntry({ entry: { entry: toMessage(body, id) }, listsSeen }, call);
          const { entry, tag } = await changed(outcome, call);
          response.set('ETag', tag).json(entry);
        },
      }),
      route({
        method: 'delete',
        path: `${path}/:id`,
        caller: 'required',
        role: 'ADMIN',
        targets: ['esd.dataset.v1.ReferenceService', 'esd.submission.v1.ReferenceUseService'],
        describe: {
          tag: 'Reference lists',
          summary: `Delete ${withArticle(singular)}`,
          details: `${ADMIN} ${deletes ?? 'An entry can be deleted only if no record uses it and no published record has ever used it. Retire other entries with PUT and `retired`.'}`,
          returns: 'A confirmation that the entry is deleted.',
          headers: IF_MATCH,
          errors: [
            ...(['FORBIDDEN', 'ENTRY_NOT_FOUND', 'PRECONDITION_FAILED'] as const),
            ...(deletes === undefined ? (['CONFLICT'] as const) : []),
          ],
          example: { parameters: { id: 1 } },
        },
        parameters: z.object({ id: entryId }),
        answer: success,
        handle: async ({ parameters: { id }, request, call }, response) => {
          const listsSeen = expectedState(request.headers['if-match'], list);
          if (deletes === undefined) {
            const { names } = await reference.listEntryNames({ list: listToWire(list), id }, call);
            const { records } = await referenceUse.countUse({ list: listToWire(list), names }, call);
            if (records > 0) throw entryInUse(names[0] ?? String(id), records);
          }
          const { state } = await reference.deleteEntry({ list: listToWire(list), id, listsSeen }, call);
          if (state) states.observe(state);
          response.json({ success: true, message: `The ${singular} ${id} is deleted.` });
        },
      }),
    ];
  };
  return [
    ...listRoutes<z.output<typeof substanceBody>, z.output<typeof substance>>(
      'polymers',
      { singular: 'polymer', example: { name: 'EXAMPLE_POLYMER', fullName: 'Poly(example)', kind: 'polymer' } },
      jsonBody(substanceBody),
      jsonBody(z.strictObject({ ...substanceBody.shape, ...sentId })),
      substance,
      (body, id) => ({ $case: 'polymer', value: { ...body, id } }),
      (entry) => (entry?.$case === 'polymer' ? substanceOf(entry.value) : undefined),
    ),
    ...listRoutes<z.output<typeof solventBody>, z.output<typeof solvent>>(
      'solvents',
      { singular: 'solvent', example: { name: 'EXAMPLE_SOLVENT', fullName: 'Example solvent', kind: 'solvent' } },
      jsonBody(solventBody),
      jsonBody(z.strictObject({ ...solventBody.shape, ...sentId })),
      solvent,
      (body, id) => ({ $case: 'solvent', value: { ...body, id } }),
      async (entry, call) => {
        if (entry?.$case !== 'solvent') return undefined;
        const { lists } = await reference.getLists({ lists: [listToWire('solvents')] }, call);
        return solventOf(entry.value, lists?.solvents ?? []);
      },
    ),
    ...listRoutes<z.output<typeof unitBody>, z.output<typeof unit>>(
      'units',
      {
        singular: 'unit',
        example: { unit: 'dag', name: 'decagram', dimension: 'mass', canonical: 'mg', factor: 10_000, offset: 0 },
      },
      jsonBody(unitBody),
      jsonBody(z.strictObject({ ...unitBody.shape, ...sentId })),
      unit,
      (body, id) => ({ $case: 'unit', value: { ...body, id } }),
      (entry) => (entry?.$case === 'unit' ? unitOf(entry.value) : undefined),
    ),
    ...listRoutes<z.output<typeof morphologyBody>, z.output<typeof groupedMorphology>>(
      'morphologies',
      {
        singular: 'morphology',
        example: { label: 'Example shape', category: 'Shape', definition: 'An example of a shape.' },
      },
      jsonBody(morphologyBody),
      jsonBody(z.strictObject({ ...morphologyBody.shape, ...sentId })),
      groupedMorphology,
      (body, id) => ({ $case: 'morphology', value: { ...body, id } }),
      (entry) => (entry?.$case === 'morphology' ? groupedMorphologyOf(entry.value) : undefined),
    ),
    ...listRoutes<z.output<typeof labelBody>, z.output<typeof instability>>(
      'instabilities',
      {
        singular: 'instability',
        example: { label: 'Example', category: 'Jet', definition: 'An example of an instability.' },
      },
      jsonBody(labelBody),
      jsonBody(z.strictObject({ ...labelBody.shape, ...sentId })),
      instability,
      (body, id) => ({ $case: 'instability', value: { ...body, id } }),
      (entry) => (entry?.$case === 'instability' ? instabilityOf(entry.value) : undefined),
    ),
    ...listRoutes<z.output<typeof paperBody>, z.output<typeof paperEntry>>(
      'papers',
      {
        singular: 'paper',
        example: { doi: '10.1000/example', title: 'An example', authors: [{ family: 'Doe', given: 'J.' }], year: 2020 },
        deletes: 'An entry that records use can be deleted too; these records only lose the title.',
        replaces: 'Records and releases do not change. `source` becomes `entered`.',
      },
      jsonBody(paperBody, PAPER_BYTES),
      jsonBody(paperBody, PAPER_BYTES),
      paperEntry,
      (body, id) => ({ $case: 'paper', value: { ...body, id, source: '', updatedAt: undefined } }),
      (entry) => (entry?.$case === 'paper' ? paperEntryOf(entry.value) : undefined),
    ),
  ];
}

type Outcome = { $case: 'changed'; value: ChangedEntry } | { $case: 'refusal'; value: EntryRefusal } | undefined;

/** Returns the state that If-Match requires; undefined for any. Throws PRECONDITION_FAILED if no tag is of this list. */
function expectedState(ifMatch: string | undefined, list: ListName): DatasetRevision | undefined {
  const tags = entityTagsOf(ifMatch);
  if (tags.length === 0) return undefined;
  // The tag of a page of papers also names the page.
  const ofList = tags.map((tag) => tag.replace(/\.papers\..*$/, '.papers'));
  const state = taggedState(ofList, list);
  if (!state) {
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `\`If-Match\` contains no entity tag of \`/metadata/${list}\`; read the list again and send its \`ETag\`.`,
    );
  }
  return state;
}

/** Returns the error of a refused change, with all problems. */
export function refusalError({ problems }: EntryRefusal, what = 'entry'): ServiceError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const details = { errors: problems, errorCount: problems.length };
  return ServiceError.withDetails('VALIDATION_FAILED', `The ${what} has ${count}.`, details);
}

function withArticle(singular: string): string {
  return `${/^[aeio]/.test(singular) ? 'an' : 'a'} ${singular}`;
}

function entryInUse(name: string, records: number): ServiceError {
  const users = records === 1 ? '1 record' : `${records} records`;
  return new ServiceError(
    'CONFLICT',
    `The entry ${describe(name)} is used by ${users}; retire it instead with \`"retired": true\`.`,
  );
}

function wrongId(sent: number, id: number): ServiceError {
  const problem = {
    path: 'id',
    code: 'NOT_CHANGEABLE',
    message: `\`id\` must be the id in the path (${id}), got ${sent}. Omit it or send the same id.`,
  };
  return ServiceError.withDetails('VALIDATION_FAILED', 'The entry has a problem.', {
    errors: [problem],
    errorCount: 1,
  });
}
