import { filterToWire } from '@esd/dataset-client/filter-wire';
import { z } from 'zod';
import type { Snapshot } from '@esd/proto/esd/dataset/v1/snapshots';
import type { snapshot } from '@esd/api/snapshots';
import {
  deleteSnapshot,
  exportSnapshot,
  getSnapshot,
  getSnapshotRecords,
  listSnapshots,
  saveSnapshot,
} from '@esd/api/snapshots';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { exportRequest } from '../dataset/export-format.ts';
import { readFilter } from '../http/query.ts';
import { locationOf } from '../http/public-url.ts';
import type { RecordPages } from '../reads/record-pages.ts';
import type { Route } from '../http/route.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { serve } from '../http/serve.ts';

/** Returns the routes of personal snapshots. An account sees only its own, regardless of its role. */
export function snapshotRoutes(
  pages: RecordPages,
  states: DatasetStates,
  { snapshots, exportBytes }: Pick<Upstream, 'snapshots' | 'exportBytes'>,
): Route[] {
  return [
    serve(saveSnapshot, {
      targets: ['esd.dataset.v1.SnapshotService'],
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
    serve(listSnapshots, {
      targets: ['esd.dataset.v1.SnapshotService'],
      handle: async ({ call }, response) => {
        const list = (await snapshots.listSnapshots({}, call)).snapshots.map((one) => snapshotOf(one).answer);
        response.set('Cache-Control', 'no-store').json(list);
      },
    }),
    serve(getSnapshot, {
      targets: ['esd.dataset.v1.SnapshotService'],
      handle: async ({ parameters: { id }, call }, response) => {
        const found = snapshotOf((await snapshots.getSnapshot({ id }, call)).snapshot);
        response.set('Cache-Control', 'no-store').json(found.answer);
      },
    }),
    serve(deleteSnapshot, {
      targets: ['esd.dataset.v1.SnapshotService'],
      handle: async ({ parameters: { id }, call }, response) => {
        await snapshots.deleteSnapshot({ id }, call);
        response.json({ success: true, message: `Snapshot ${id} is deleted.` });
      },
    }),
    serve(getSnapshotRecords, {
      targets: ['esd.dataset.v1.SnapshotService'],
      handle: async ({ parameters: { id }, query: { skip, limit }, request, call }, response) => {
        const { state } = snapshotOf((await snapshots.getSnapshot({ id }, call)).snapshot);
        const named = {
          state,
          version: `snapshot-${id}`,
          cacheControl: 'private, no-cache',
          isPermanent: false,
          snapshotId: id,
        };
        await pages({ skip, limit, filter: [], named }, request, response, call);
      },
    }),
    serve(exportSnapshot, {
      targets: ['esd.dataset.v1.SnapshotService', 'http:/public'],
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
