import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { DatasetServiceService, type ScanRecordsResponse } from '@esd/proto/esd/dataset/v1/dataset';
import { type Version, VersionServiceService, VersionState } from '@esd/proto/esd/dataset/v1/versions';
import { ServiceError } from '@esd/service/errors';
import { migrate } from '@esd/service/migrate';
import { openObjectStore } from '@esd/service/object-store';
import { openDatabase } from '@esd/service/postgres';
import { rpcClient } from '@esd/service/rpc-client';
import { type CallContext, type RpcServer, rpcService, startRpcServer } from '@esd/service/rpc-server';
import { openSpool, type Spool } from '@esd/service/spool';
import { startObjectStore } from '@esd/testing/object-store';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import { type FileStore, openFileStore } from '../src/file/file-store.ts';
import { imageOpener } from '../src/file/open-image.ts';
import type { Tables } from '../src/tables.ts';

/** No record of these tests has an image that is kept anywhere. */
export const openImage = imageOpener([], namedPeer('export-svc'));
export const log = pino({ level: 'silent' });

export const DATASET_ID = '7d2ddfad-6583-4e69-a091-e3e97cef4688';
export const COMMITTED_AT = new Date('2026-03-04T05:06:07.000Z');
export const RESERVED_AT = new Date('2026-04-05T06:07:08.000Z');

export type Scan = (context: CallContext) => AsyncIterable<ScanRecordsResponse>;

/** The first message of a scan. */
export const state = (recordCount: number, matching = recordCount): ScanRecordsResponse => ({
  part: { $case: 'state', value: { datasetId: DATASET_ID, revision: 7, recordCount, committedAt: COMMITTED_AT } },
  matching,
});

/** A message of a scan that carries records. */
export const chunk = (...records: string[]): ScanRecordsResponse => ({
  part: { $case: 'records', value: { recordsJson: records.map((record) => Buffer.from(record)) } },
  matching: 0,
});

/** A scan of records, a message for every two of them. */
export function scanOf(records: readonly string[]): Scan {
  return async function* () {
    yield await Promise.resolve(state(records.length));
    for (let at = 0; at < records.length; at += 2) yield chunk(...records.slice(at, at + 2));
  };
}

export type FarSide = Awaited<ReturnType<typeof startFarSide>>;

/** Real gRPC servers in the place of dataset-svc, one a scan; versions live in `versions`, by job. */
export async function startFarSide(...scans: Scan[]) {
  const versions = new Map<string, Version>();
  const addresses: string[] = [];
  const servers: RpcServer[] = [];
  const unasked = (): never => {
    throw new Error('not asked in this test');
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
          explainFilter: unasked,
          getFeatureRanges: unasked,
          queryRecords: unasked,
          scanRecords: (_request, context) => scan(context),
        }),
        rpcService(VersionServiceService, {
          reserveVersion: ({ jobId, identifier, doi, license, description }) => {
            if (identifier === 'refused') {
              return Promise.reject(new ServiceError('INVALID_REQUEST', 'refused is no version identifier'));
            }
            const version = versions.get(jobId) ?? {
              id: versions.size + 1,
              identifier,
              versionState: VersionState.VERSION_STATE_BUILDING,
              state: { datasetId: DATASET_ID, revision: 7, recordCount: 3, committedAt: COMMITTED_AT },
              createdAt: RESERVED_AT,
              doi,
              license: license ?? 'CC-BY-4.0',
              description,
              files: [],
              digest: undefined,
              failure: undefined,
              jobId,
            };
            versions.set(jobId, version);
            return Promise.resolve({ version });
          },
          setVersionFailed: ({ jobId, reason }) => {
            const version = versions.get(jobId);
            if (!version) return Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'no such job'));
            const failed = { ...version, versionState: VersionState.VERSION_STATE_FAILED, failure: reason };
            versions.set(jobId, failed);
            return Promise.resolve({ version: failed });
          },
          findVersion: ({ by }) => {
            const found = [...versions.values()].find(({ id, identifier, doi }) =>
              by?.$case === 'id' ? id === by.value : by?.value === identifier || by?.value === doi,
            );
            if (found) return Promise.resolve({ version: found });
            return Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'There is no such version.'));
          },
          listVersions: unasked,
          getVersion: unasked,
          describeVersion: unasked,
          diffStates: unasked,
        }),
      ],
      guard: trustingGuard(),
      log,
    });
    servers.push(server);
    addresses.push(`127.0.0.1:${server.port}`);
  }
  const peer = { target: `ipv4:${addresses.join(',')}`, proof: namedPeer('export-svc') };
  const dataset = rpcClient(DatasetServiceService, peer);
  const versionClient = rpcClient(VersionServiceService, peer);
  return {
    dataset,
    versionClient,
    versions,
    /** Ends the servers; the clients find nobody. */
    leave: async () => {
      for (const server of servers) await server.drain(0.1);
    },
    stop: async () => {
      dataset.channel.close();
      versionClient.channel.close();
      for (const server of servers) await server.drain(0.1);
    },
  };
}

/** A database and a store of the test's own. */
export async function openStores(): Promise<{
  database: Kysely<Tables>;
  databaseUrl: string;
  store: FileStore;
  spool: Spool;
  objects: Awaited<ReturnType<typeof startObjectStore>>;
  client: ReturnType<typeof openObjectStore>;
  dispose: () => Promise<void>;
}> {
  const [{ url, drop }, objects] = await Promise.all([createDatabase('export'), startObjectStore()]);
  const database = openDatabase<Tables>(url, 10, log);
  await migrate(database, migrations);
  const client = openObjectStore(objects.config);
  const spool = await openSpool('esd-export-test');
  return {
    database,
    databaseUrl: url,
    store: openFileStore(client, objects.config.ESD_S3_BUCKET),
    spool,
    objects,
    client,
    dispose: async () => {
      await spool.close();
      await database.destroy();
      await Promise.all([drop(), objects.dispose()]);
    },
  };
}
