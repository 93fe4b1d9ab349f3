import {
  RecordDifference_Kind,
  type TextChange,
  type Release,
  ReleaseServiceService,
  ReleaseState,
} from '@esd/proto/esd/dataset/v1/releases';
import { ServiceError } from '@esd/service/errors';
import { requireRole } from '@esd/service/auth/require-caller';
import { type CallContext, type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import type { BodyStore } from '../bodies/body-store.ts';
import type { BulkReads } from '../bulk-reads.ts';
import { getHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { describeRelease } from '../release/describe-release.ts';
import { diffStates, type DifferingRecord } from '../release/diff-states.ts';
import { failRelease } from '../release/fail-release.ts';
import { reserveRelease } from '../release/reserve-release.ts';
import {
  findFrozenReleases,
  getFrozenRelease,
  getFrozenReleaseById,
  getRelease,
  type ReleaseRow,
} from '../release/release.store.ts';

const WIRE_STATE = {
  BUILDING: ReleaseState.RELEASE_STATE_BUILDING,
  FROZEN: ReleaseState.RELEASE_STATE_FROZEN,
  FAILED: ReleaseState.RELEASE_STATE_FAILED,
} as const satisfies Record<ReleaseRow['state'], ReleaseState>;

const WIRE_KIND = {
  added: RecordDifference_Kind.KIND_ADDED,
  removed: RecordDifference_Kind.KIND_REMOVED,
  changed: RecordDifference_Kind.KIND_CHANGED,
} as const;

const BUILDER = 'export-svc';

export function releasesRpc(
  database: Kysely<Tables>,
  bodies: Pick<BodyStore, 'find'>,
  bulkReads: BulkReads,
): RpcService {
  const answer = async (row: ReleaseRow): Promise<{ release: Release }> => {
    const { datasetId } = await getHead(database);
    return { release: toMessage(row, datasetId) };
  };
  return rpcService(ReleaseServiceService, {
    reserveRelease: async (input, context) => {
      requireBuilder(context);
      return answer(await reserveRelease(database, input, context.requestId));
    },
    setReleaseFailed: async (failure, context) => {
      requireBuilder(context);
      return answer(await failRelease(database, failure, context.requestId));
    },
    listReleases: async () => {
      const { datasetId } = await getHead(database);
      return { releases: (await findFrozenReleases(database)).map((row) => toMessage(row, datasetId)) };
    },
    findRelease: async ({ by }) => {
      if (!by) throw new ServiceError('INVALID_REQUEST', '`name` or `id` is required.');
      const found =
        by.$case === 'name' ? getFrozenRelease(database, by.value) : getFrozenReleaseById(database, by.value);
      return answer(await found);
    },
    getRelease: async ({ id }, context) => {
      if (context.peer !== BUILDER) requireRole(context, 'ADMIN');
      return answer(await getRelease(database, id));
    },
    describeRelease: async ({ id, doi, license, description, factsJson }, context) => {
      const { accountId } = requireRole(context, 'ADMIN');
      const input = {
        ...changeOf('doi', doi),
        ...changeOf('license', license),
        ...changeOf('description', description),
        factsJson,
      };
      return answer(await describeRelease(database, id, input, { accountId, requestId: context.requestId }));
    },
    diffStates: ({ fromRevision, toRevision, valued }, context) =>
      bulkReads.run(context, async function* (turn) {
        for await (const chunk of diffStates({ database, bodies, turn }, fromRevision, toRevision, valued)) {
          yield { differences: chunk.map(wireDifference) };
        }
      }),
  });
}

function wireDifference({ kind, changes, ...of }: DifferingRecord) {
  const changesJson = changes && Buffer.from(JSON.stringify(changes));
  return { ...of, kind: WIRE_KIND[kind], changesJson };
}

function requireBuilder({ peer }: CallContext): void {
  if (peer !== BUILDER) throw new ServiceError('FORBIDDEN', `Only ${BUILDER} can call this, not ${peer}.`);
}

function changeOf<Member extends string>(
  member: Member,
  change: TextChange | undefined,
): Partial<Record<Member, string | null>> {
  if (!change) return {};
  const changed: Partial<Record<string, string | null>> = { [member]: change.text ?? null };
  return changed;
}

function toMessage(row: ReleaseRow, datasetId: string): Release {
  return {
    id: row.id,
    identifier: row.identifier,
    releaseState: WIRE_STATE[row.state],
    state: { datasetId, revision: row.revision, recordCount: row.record_count },
    createdAt: row.created_at,
    doi: row.doi ?? undefined,
    license: row.license ?? undefined,
    description: row.description ?? undefined,
    digest: row.digest ?? undefined,
    files: row.files ?? [],
    failure: row.failure ?? undefined,
    jobId: row.job_id,
    factsJson: JSON.stringify(row.facts),
  };
}
