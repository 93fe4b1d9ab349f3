import { filterFromWire } from '@esd/dataset-client/filter-wire';
import { type Snapshot, SnapshotServiceService } from '@esd/proto/esd/dataset/v1/snapshots';
import { requireCaller, requireSession } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { findOwnChanges } from '../account/own-changes.store.ts';
import { getHead } from '../dataset-log/dataset-log.store.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import { createSnapshot } from '../snapshot/create-snapshot.ts';
import { deleteSnapshot, findSnapshots, getSnapshot, type SnapshotRow } from '../snapshot/snapshot.store.ts';
import type { Tables } from '../tables.ts';

/** Implements SnapshotService. Snapshots and changes are visible to their owner only. */
export function snapshotsRpc(database: Kysely<Tables>, index: ReadIndex): RpcService {
  const toMessages = async (rows: readonly SnapshotRow[]): Promise<Snapshot[]> => {
    const { datasetId } = await getHead(database);
    return rows.map((row) => toMessage(row, datasetId));
  };
  return rpcService(SnapshotServiceService, {
    createSnapshot: async ({ filter: message, ...wanted }, context) => {
      const { accountId: owner } = requireCaller(context);
      const row = await createSnapshot(database, index, { ...wanted, owner, filter: filterFromWire(message) });
      return { snapshot: (await toMessages([row]))[0] };
    },
    listSnapshots: async (_request, context) => {
      const { accountId: owner } = requireCaller(context);
      return { snapshots: await toMessages(await findSnapshots(database, owner)) };
    },
    getSnapshot: async ({ id }, context) => {
      const { accountId: owner } = requireCaller(context);
      return { snapshot: (await toMessages([await getSnapshot(database, owner, id)]))[0] };
    },
    deleteSnapshot: async ({ id }, context) => {
      const { accountId: owner } = requireCaller(context);
      await deleteSnapshot(database, owner, id);
      return {};
    },
    listOwnChanges: async (_request, context) => {
      const { accountId } = requireSession(context);
      const changes = await findOwnChanges(database, accountId);
      return {
        changes: changes.map(({ of, ...change }) => ({
          ...change,
          of:
            'version' in of ? { $case: 'version' as const, value: of.version } : { $case: 'entry' as const, value: of },
        })),
      };
    },
  });
}

function toMessage(row: SnapshotRow, datasetId: string): Snapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description ?? undefined,
    filterJson: row.filter,
    state: { datasetId, revision: row.revision },
    recordCount: row.record_count,
    createdAt: row.created_at,
  };
}
