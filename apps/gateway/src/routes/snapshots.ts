import { filterToWire } from '@esd/dataset-client/filter-wire';
import { z } from 'zod';
import type { Snapshot } from '@esd/proto/esd/dataset/v1/snapshots';
import { schemaReference } from '@esd/record/catalog/record-schema';
import { stateHeaders } from '../http/state-tag.ts';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { exportFormat, exportRequest, fileHeaders, fileTypes } from '../dataset/export-format.ts';
import { jsonBody } from '../http/body/json-body.ts';
import type { Description } from '@esd/api/operation';
import { pageQuery, readFilter, recordPage, records } from '../http/page-query.ts';
import { pagedHeaders } from '@esd/api/paged-list';
import { locationOf } from '../http/public-url.ts';
import { integerText } from '@esd/api/number-text';
import type { RecordPages } from '../reads/record-pages.ts';
import { route, type Route } from '../http/route.ts';
import { success } from '../schemas/success.ts';
import type { Upstream } from '../upstream/upstream.ts';

export const snapshot = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string().optional(),
    filterConfig: z.looseObject({}).meta({ description: 'The filter; an empty object selects all records.' }),
    recordCount: z.int(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Snapshot' });

// The interface allows clients to send more members.
const createBody = z.object({
  name: z.string(),
  filterConfig: z.looseObject({}).meta({ allOf: [schemaReference('Filter')] }),
  description: z.string().optional(),
});

const snapshotId = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });
const EXAMPLE = { parameters: { id: 1 } };

const ofSnapshot = {
  tag: 'Personal snapshots',
  errors: ['SNAPSHOT_NOT_FOUND'],
} satisfies Partial<Description>;

/** Returns the routes of personal snapshots. An account sees only its own, regardless of its role. */
export function snapshotRoutes(
  pages: RecordPages,
  states: DatasetStates,
  { snapshots, exportBytes }: Pick<Upstream, 'snapshots' | 'exportBytes'>,
): Route[] {
  return [
    route({
      method: 'post',
      path: '/versions',
      caller: 'required',
      targets: ['esd.dataset.v1.SnapshotService'],
      describe: {
        ...ofSnapshot,
        summary: 'Save the latest dataset as a personal snapshot',
        details: 'An empty filter selects all records. Later changes of the dataset do not change the snapshot.',
        returns: 'The snapshot.',
        status: 201,
        answerHeaders: { Location: 'The URL of the snapshot.' },
        errors: ['INVALID_FILTER', 'CONFLICT'],
        example: { body: { name: 'Chapter 3', filterConfig: { polymer: 'PVDF', voltageMin: 15 } } },
      },
      body: jsonBody(createBody),
      answer: snapshot,
      handle: async ({ body: { name, filterConfig, description }, request, call }, response) => {
        const filterJson = JSON.stringify(filterConfig);
        const { snapshot: made } = await snapshots.createSnapshot(
          { name, filterJson, filter: filterToWire(readFilter(filterJson)), description, atLeast: states.latest() },
          call,
        );
        const { answer } = snapshotOf(made);
        response
          .status(201)
          .set({ Location: locationOf(request, `/versions/${answer.id}`), 'Cache-Control': 'no-store' })
          .json(answer);
      },
    }),
    route({
      method: 'get',
      path: '/versions',
      caller: 'required',
      targets: ['esd.dataset.v1.SnapshotService'],
      describe: {
        ...ofSnapshot,
        summary: 'List the personal snapshots of the caller',
        returns: 'The snapshots, newest first.',
        errors: [],
      },
      answer: z.array(snapshot),
      handle: async ({ call }, response) => {
        const list = (await snapshots.listSnapshots({}, call)).snapshots.map((one) => snapshotOf(one).answer);
        response.set('Cache-Control', 'no-store').json(list);
      },
    }),
    route({
      method: 'get',
      path: '/versions/:id',
      caller: 'required',
      targets: ['esd.dataset.v1.SnapshotService'],
      describe: {
        ...ofSnapshot,
        summary: 'Get a personal snapshot of the caller',
        returns: 'The snapshot.',
        example: EXAMPLE,
      },
      parameters: snapshotId,
      answer: snapshot,
      handle: async ({ parameters: { id }, call }, response) => {
        const found = snapshotOf((await snapshots.getSnapshot({ id }, call)).snapshot);
        response.set('Cache-Control', 'no-store').json(found.answer);
      },
    }),
    route({
      method: 'delete',
      path: '/versions/:id',
      caller: 'required',
      targets: ['esd.dataset.v1.SnapshotService'],
      describe: {
        ...ofSnapshot,
        summary: 'Delete a personal snapshot of the caller',
        returns: 'A confirmation that the snapshot is deleted.',
        example: EXAMPLE,
      },
      parameters: snapshotId,
      answer: success,
      handle: async ({ parameters: { id }, call }, response) => {
        await snapshots.deleteSnapshot({ id }, call);
        response.json({ success: true, message: `Snapshot ${id} is deleted.` });
      },
    }),
    route({
      method: 'get',
      path: '/versions/:id/records',
      caller: 'required',
      targets: ['esd.dataset.v1.SnapshotService'],
      describe: {
        ...ofSnapshot,
        summary: 'Get a page of records from a personal snapshot of the caller',
        details: 'The records are those at the time of the snapshot, in ascending order of `recordId`.',
        returns: 'The page.',
        answerHeaders: { ...pagedHeaders, ...stateHeaders },
        revalidates: true,
        example: { parameters: { ...EXAMPLE.parameters, limit: 5 } },
      },
      parameters: snapshotId,
      query: pageQuery,
      answer: recordPage,
      handle: async ({ parameters: { id }, query: { skip, limit }, request, call }, response) => {
        const { state } = snapshotOf((await snapshots.getSnapshot({ id }, call)).snapshot);
        const fixed = {
          state,
          version: `snapshot-${id}`,
          cacheControl: 'private, no-cache',
          isFixed: false,
          snapshotId: id,
        };
        await pages({ skip, limit, filter: [], filterText: undefined, fixed, parameters: {} }, request, response, call);
      },
    }),
    route({
      method: 'get',
      path: '/versions/:id/export',
      caller: 'required',
      targets: ['esd.dataset.v1.SnapshotService', 'http:/public'],
      limit: 'exports',
      describe: {
        ...ofSnapshot,
        summary: 'Download a personal snapshot of the caller as a file',
        returns: 'With `json`, an array of records in ascending order of `recordId`; with the other formats, the file.',
        otherTypes: fileTypes,
        answerHeaders: fileHeaders,
        revalidates: true,
        ranges: true,
        example: { parameters: { ...EXAMPLE.parameters, format: 'json' } },
      },
      parameters: snapshotId,
      query: z.object({ format: exportFormat }),
      answer: records,
      handle: async ({ parameters: { id }, query: { format }, request, call }, response) => {
        const ownerAssertion = call.assertions?.get('esd.dataset.v1.SnapshotService') ?? '';
        const source = { $case: 'snapshot', value: { id, ownerAssertion } } as const;
        await exportBytes(exportRequest({ format, source }), request, response, call);
      },
    }),
  ];
}

export function snapshotOf(message: Snapshot | undefined) {
  if (!message?.state || !message.createdAt) throw new Error('the snapshot is incomplete');
  const { id, name, description, filterJson, state, recordCount, createdAt } = message;
  const answer: z.output<typeof snapshot> = {
    id,
    name,
    ...(description === undefined ? {} : { description }),
    // Validated when the snapshot was created.
    filterConfig: z.looseObject({}).parse(JSON.parse(filterJson)),
    recordCount,
    createdAt: createdAt.toISOString(),
  };
  return { answer, state };
}
