import * as entries from '@esd/api/reference-entries';
import type { Operation } from '@esd/api/operation';
import type { Response } from 'express';
import type { z } from 'zod';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { type ChangedEntry, type ListedEntry } from '@esd/proto/esd/dataset/v1/reference';
import type { EntryList } from '@esd/record/reference/list-names';
import { listToWire } from '@esd/dataset-client/list-names';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { entityTagsOf } from '../../http/if-match.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import { locationOf } from '../../http/public-url.ts';
import { groupedMorphologyOf, instabilityOf, solventOf, substanceOf, unitOf } from './reference-entry.ts';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import { taggedState, stateTag } from '../../http/state-tag.ts';
import { paperEntryOf } from '../../schemas/paper.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const PAPER_BYTES = 1024 * 1024;

/** The operations of the entries of one list. */
interface EntryOperations<Body extends z.ZodObject, WholeBody extends z.ZodObject, Entry> {
  name: EntryList;
  singular: string;
  isUseChecked: boolean;
  add: Omit<Operation, 'body'> & { body: Body; response: z.ZodType<Entry> };
  replace: Omit<Operation, 'body'> & { body: WholeBody; parameters: typeof entries.polymers.replace.parameters };
  remove: Operation & Pick<typeof entries.polymers.remove, 'parameters' | 'response'>;
}

export function metadataWriteRoutes(
  { reference, referenceUse }: Pick<Upstream, 'reference' | 'referenceUse'>,
  states: Pick<DatasetStates, 'observe'>,
): Route[] {
  /** Returns the routes that create, replace and delete the entries of one list. */
  const listRoutes = <
    Body extends z.ZodObject,
    WholeBody extends z.ZodObject<{ id: z.ZodType<number | undefined> }>,
    Entry extends { id: number },
  >(
    { name: list, singular, isUseChecked, add, replace, remove }: EntryOperations<Body, WholeBody, Entry>,
    toMessage: (body: z.output<Body> | z.output<WholeBody>, id: number) => ListedEntry['entry'],
    fromMessage: (entry: ListedEntry['entry'], call: Call) => Entry | undefined | Promise<Entry | undefined>,
    bodyBytes?: number,
  ): Route[] => {
    /** Unwraps the response and records its state, so that later reads on any replica include the change. */
    const readChange = async (change: ChangedEntry | undefined, call: Call): Promise<{ entry: Entry; tag: string }> => {
      const { entry, state, listsRevision } = change ?? {};
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
      serve(add, {
        targets: ['esd.dataset.v1.ReferenceService'],
        body: jsonBody(add.body, bodyBytes),
        handle: async ({ body, request, call }, response: Response) => {
          const listsSeen = expectedState(request.headers['if-match'], list);
          const { changed } = await reference.createEntry({ entry: { entry: toMessage(body, 0) }, listsSeen }, call);
          const { entry, tag } = await readChange(changed, call);
          response
            .status(201)
            .location(locationOf(request, `${add.path}/${entry.id}`))
            .set('ETag', tag)
            .json(entry);
        },
      }),
      serve(replace, {
        targets: ['esd.dataset.v1.ReferenceService'],
        body: jsonBody(replace.body, bodyBytes),
        handle: async ({ parameters: { id }, body, request, call }, response: Response) => {
          if (body.id !== undefined && body.id !== id) throw wrongId(body.id, id);
          const listsSeen = expectedState(request.headers['if-match'], list);
          const { changed } = await reference.replaceEntry({ entry: { entry: toMessage(body, id) }, listsSeen }, call);
          const { entry, tag } = await readChange(changed, call);
          response.set('ETag', tag).json(entry);
        },
      }),
      serve(remove, {
        targets: ['esd.dataset.v1.ReferenceService', 'esd.submission.v1.ReferenceUseService'],
        handle: async ({ parameters: { id }, request, call }, response) => {
          const listsSeen = expectedState(request.headers['if-match'], list);
          if (isUseChecked) {
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
    ...listRoutes(
      entries.polymers,
      (body, id) => ({ $case: 'polymer', value: { ...body, id } }),
      (entry) => (entry?.$case === 'polymer' ? substanceOf(entry.value) : undefined),
    ),
    ...listRoutes(
      entries.solvents,
      (body, id) => ({ $case: 'solvent', value: { ...body, id } }),
      async (entry, call) => {
        if (entry?.$case !== 'solvent') return undefined;
        const { lists } = await reference.getLists({ lists: [listToWire('solvents')] }, call);
        return solventOf(entry.value, lists?.solvents ?? []);
      },
    ),
    ...listRoutes(
      entries.units,
      (body, id) => ({ $case: 'unit', value: { ...body, id } }),
      (entry) => (entry?.$case === 'unit' ? unitOf(entry.value) : undefined),
    ),
    ...listRoutes(
      entries.morphologies,
      (body, id) => ({ $case: 'morphology', value: { ...body, id } }),
      (entry) => (entry?.$case === 'morphology' ? groupedMorphologyOf(entry.value) : undefined),
    ),
    ...listRoutes(
      entries.instabilities,
      (body, id) => ({ $case: 'instability', value: { ...body, id } }),
      (entry) => (entry?.$case === 'instability' ? instabilityOf(entry.value) : undefined),
    ),
    ...listRoutes(
      entries.papers,
      (body, id) => ({ $case: 'paper', value: { ...body, id, source: '', updatedAt: undefined } }),
      (entry) => (entry?.$case === 'paper' ? paperEntryOf(entry.value) : undefined),
      PAPER_BYTES,
    ),
  ];
}

/** Returns the state that If-Match requires; undefined for any. Throws PRECONDITION_FAILED if no tag is of this list. */
function expectedState(ifMatch: string | undefined, list: EntryList): DatasetRevision | undefined {
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
  return new ServiceError('VALIDATION_FAILED', 'The entry has a problem.', {
    details: {
      errors: [problem],
      errorCount: 1,
    },
  });
}
