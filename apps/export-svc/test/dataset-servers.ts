import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { readDatasetFacts } from '@esd/dataset-client/dataset-facts';
import { DatasetServiceService, type ScanRecordsResponse } from '@esd/proto/esd/dataset/v1/dataset';
import { type Release, ReleaseServiceService, ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { RULES } from '@esd/record/rules';
import { ServiceError } from '@esd/service/errors';
import { type ObjectStore, openObjectStore } from '@esd/object-store/object-store';
import { openS3Client } from '@esd/object-store/s3-client';
import { QueryServiceService } from '@esd/proto/esd/dataset/v1/queries';
import { type Snapshot, SnapshotServiceService } from '@esd/proto/esd/dataset/v1/snapshots';
import { openDatabase } from '@esd/service/database/postgres';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import { type CallContext, type RpcServer, rpcService, startRpcServer } from '@esd/service/rpc/rpc-server';
import { openTempStorage, type TempStorage } from '@esd/service/http/temp-storage';
import { demoDatasetFile } from '@esd/testing/demo';
import { startObjectStore } from '@esd/testing/object-store';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import { imageOpener } from '../src/files/open-image.ts';
import type { Tables } from '../src/tables.ts';

/** Throws: no record of these tests has a stored image. */
export const openImage = imageOpener([], { serviceAssertions: namedPeer('export-svc'), tls: undefined });
export const log = pino({ level: 'silent' });

export const DATASET_ID = '7d2ddfad-6583-4e69-a091-e3e97cef4688';
export const COMMITTED_AT = new Date('2026-03-04T05:06:07.000Z');
/** The facts of the test dataset. */
export const facts = readDatasetFacts(demoDatasetFile);
export const RESERVED_AT = new Date('2026-04-05T06:07:08.000Z');

export type Scan = (context: CallContext) => AsyncIterable<ScanRecordsResponse>;

/** Returns the first message of a scan. */
export const state = (recordCount: number, matching = recordCount): ScanRecordsResponse => ({
  part: { $case: 'state', value: { datasetId: DATASET_ID, revision: 7, recordCount, committedAt: COMMITTED_AT } },
  matching,
  rules: RULES,
});

/** Returns a message with records. */
export const chunk = (...records: string[]): ScanRecordsResponse => ({
  part: { $case: 'records', value: { recordsJson: records.map((record) => Buffer.from(record)) } },
  matching: 0,
});

/** Returns a scan with two records per message. */
export function scanOf(records: readonly string[]): Scan {
  return async function* () {
    yield await Promise.resolve(state(records.length));
    for (let at = 0; at < records.length; at += 2) yield chunk(...records.slice(at, at + 2));
  };
}

export type DatasetServer = Awaited<ReturnType<typeof startDataset>>;

/**
 * Starts real gRPC servers that replace dataset-svc, one per scan. `versions` contains releases by job, `snapshots`
 * personal snapshots by owner.
 */
export async function startDataset(...scans: Scan[]) {
  const versions = new Map<string, Release>();
  const snapshots = new Map<string, Snapshot>();
  const addresses: string[] = [];
  const servers: RpcServer[] = [];
  const unasked = (): never => {
    throw new Error('unexpected call');
  };
  for (const scan of scans) {
    const server = await startRpcServer({
      listen: { host: '127.0.0.1', port: 0 },
      services: [
        rpcService(DatasetServiceService, {
          getHead: () =>
            Promise.resolve({
              state: { datasetId: DATASET_ID, revision: 7, recordCount: 3, committedAt: COMMITTED_AT },
            }),
          getRecord: unasked,
          getRecordHistory: unasked,
          getRecordProgress: unasked,
          explainFilter: unasked,
          getFeatureRanges: unasked,
          explore: unasked,
          queryRecords: unasked,
          scanRecords: (_request, context) => scan(context),
        }),
        rpcService(ReleaseServiceService, {
          reserveRelease: ({ jobId, identifier, doi, license, description, factsJson }) => {
            if (identifier === 'refused') {
              return Promise.reject(new ServiceError('INVALID_REQUEST', '"refused" is not a release identifier.'));
            }
            const version = versions.get(jobId) ?? {
              id: versions.size + 1,
              identifier,
              releaseState: ReleaseState.RELEASE_STATE_BUILDING,
              state: { datasetId: DATASET_ID, revision: 7, recordCount: 3, committedAt: COMMITTED_AT },
              createdAt: RESERVED_AT,
              doi,
              license: license ?? 'CC-BY-4.0',
              description,
              files: [],
              digest: undefined,
              failure: undefined,
              jobId,
              factsJson,
            };
            versions.set(jobId, version);
            return Promise.resolve({ release: version });
          },
          setReleaseFailed: ({ jobId, reason }) => {
            const version = versions.get(jobId);
            if (!version) return Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'no such job'));
            const failed = { ...version, releaseState: ReleaseState.RELEASE_STATE_FAILED, failure: reason };
            versions.set(jobId, failed);
            return Promise.resolve({ release: failed });
          },
          findRelease: ({ by }) => {
            const found = [...versions.values()].find(({ id, identifier, doi }) =>
              by?.$case === 'id' ? id === by.value : by?.value === identifier || by?.value === doi,
            );
            if (found) return Promise.resolve({ release: found });
            return Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'There is no such version.'));
          },
          listReleases: unasked,
          getRelease: unasked,
          describeRelease: unasked,
          diffStates: unasked,
        }),
        rpcService(QueryServiceService, {
          getQuery: ({ id }) => Promise.reject(new ServiceError('QUERY_NOT_FOUND', `There is no query ${id}.`)),
          createQuery: unasked,
          findQuery: unasked,
        }),
        rpcService(SnapshotServiceService, {
          getSnapshot: ({ id }, { caller }) => {
            const snapshot = snapshots.get(caller?.accountId ?? '');
            if (snapshot?.id === id) return Promise.resolve({ snapshot });
            return Promise.reject(new ServiceError('SNAPSHOT_NOT_FOUND', `You have no snapshot ${id}.`));
          },
          createSnapshot: unasked,
          listSnapshots: unasked,
          deleteSnapshot: unasked,
          listOwnChanges: unasked,
        }),
      ],
      guard: trustingGuard((accountId) => ({ accountId, role: 'USER', credential: 'session' })),
      log,
    });
    servers.push(server);
    addresses.push(`127.0.0.1:${server.port}`);
  }
  const peer = {
    service: 'dataset-svc' as const,
    target: `ipv4:${addresses.join(',')}`,
    serviceAssertions: namedPeer('export-svc'),
  };
  const dataset = rpcClient(DatasetServiceService, peer);
  const releaseClient = rpcClient(ReleaseServiceService, peer);
  return {
    target: peer.target,
    dataset,
    releaseClient,
    versions,
    snapshots,
    /** Stops the servers, so that calls fail. */
    leave: async () => {
      for (const server of servers) await server.drain(0.1);
    },
    stop: async () => {
      dataset.channel.close();
      releaseClient.channel.close();
      for (const server of servers) await server.drain(0.1);
    },
  };
}

/** Opens a database and a store for the test. */
export async function openStores(): Promise<{
  database: Kysely<Tables>;
  databaseUrl: string;
  store: ObjectStore;
  tempStorage: TempStorage;
  objects: Awaited<ReturnType<typeof startObjectStore>>;
  /** A direct client, for operations that the wrapper lacks. */
  client: ReturnType<typeof openS3Client>;
  dispose: () => Promise<void>;
}> {
  const [{ url, drop }, objects] = await Promise.all([createDatabase('export', migrations), startObjectStore()]);
  const database = openDatabase<Tables>(url, 10, log);
  const client = openS3Client(objects.config);
  const tempStorage = await openTempStorage('esd-export-test');
  return {
    database,
    databaseUrl: url,
    store: openObjectStore(objects.config),
    tempStorage,
    objects,
    client,
    dispose: async () => {
      await tempStorage.close();
      await database.destroy();
      await Promise.all([drop(), objects.dispose()]);
    },
  };
}
