import { join } from 'node:path';
import type { VersionServiceService } from '@esd/proto/esd/dataset/v1/versions';
import { ServiceError } from '@esd/service/errors';
import { recordsDigest } from '@esd/service/records-digest';
import type { RpcClient } from '@esd/service/rpc-client';
import type { Spool } from '@esd/service/spool';
import type { Kysely } from 'kysely';
import type { ExportFormat } from '../export/formats.ts';
import { type DatasetReader, openScan } from '../export/open-scan.ts';
import type { FileContents } from '../file/file-contents.ts';
import { describeFile, type FileStore } from '../file/file-store.ts';
import type { OpenImage } from '../file/record-images.ts';
import { isStored } from '../file/send-stored-file.ts';
import { writeFile } from '../file/write-file.ts';
import type { Tables } from '../tables.ts';
import {
  addFreezeFile,
  findFreezeFiles,
  type FreezeJob,
  setDigest,
  setFailed,
  setFrozen,
  setReserved,
} from './freeze-job.store.ts';

/** What a freeze works with. */
export interface FreezeParts {
  database: Kysely<Tables>;
  dataset: DatasetReader;
  versions: Pick<RpcClient<typeof VersionServiceService>, 'reserveVersion' | 'setVersionFailed'>;
  store: FileStore;
  openImage: OpenImage;
  spool: Spool;
}

/** The files of a version; the first is the one whose scan gives the digest. */
const FORMATS: readonly ExportFormat[] = ['json', 'csv', 'xlsx', 'parquet', 'zip'];
const LICENSE = 'CC-BY-4.0';

/**
 * Sets the state of a job aside at dataset-svc; nothing happens when that was done before. Throws what dataset-svc says
 * against it: CONFLICT, INVALID_REQUEST.
 */
export async function reserve({ database, versions }: FreezeParts, job: FreezeJob): Promise<FreezeJob> {
  if (job.version_id !== null) return job;
  const { version } = await versions.reserveVersion(
    {
      jobId: job.id,
      identifier: job.version_identifier,
      description: job.description ?? undefined,
      doi: job.doi ?? undefined,
      license: job.license ?? undefined,
      accountId: job.account_id,
    },
    { requestId: job.id },
  );
  if (!version?.state || !version.createdAt) throw new Error('a reserved version without its state');
  const { datasetId, revision, recordCount } = version.state;
  const { id: versionId, createdAt: reservedAt, license } = version;
  return setReserved(database, job.id, { versionId, datasetId, revision, recordCount, license, reservedAt });
}

/**
 * Does what is left of a job: reserves, builds and stores each file, tells that the version is frozen. Each step is noted
 * when it is done and does no harm when it is done again, so that a job that broke off anywhere goes on from there.
 */
export async function freeze(parts: FreezeParts, job: FreezeJob, leaseId: string, signal: AbortSignal): Promise<void> {
  const { database } = parts;
  const reserved = await reserve(parts, job);
  let { digest } = reserved;
  for (const format of FORMATS) {
    signal.throwIfAborted();
    const stored = await findFreezeFiles(database, job.id);
    const takesDigest = format === FORMATS[0] && digest === null;
    if (!takesDigest && stored.some((file) => file.format === format)) continue;
    const taken = await buildAndStore(parts, reserved, format, signal);
    if (takesDigest) {
      digest = taken;
      await setDigest(database, job.id, taken);
    }
  }
  const files = await findFreezeFiles(database, job.id);
  if (digest === null || files.length !== FORMATS.length) throw new Error('a freeze without all of its files');
  signal.throwIfAborted();
  await setFrozen(database, reserved, { leaseId, digest, files });
}

/**
 * Tells dataset-svc that a job was given up, removes what it stored and ends it; its identifier is free again. Does no harm
 * when it is done again.
 */
export async function endFailed(parts: FreezeParts, job: FreezeJob, leaseId: string): Promise<void> {
  const { database, store, versions } = parts;
  try {
    await versions.setVersionFailed({ jobId: job.id, reason: job.failure ?? 'unknown' }, { requestId: job.id });
  } catch (error) {
    // Nothing was ever reserved for it.
    if (!(error instanceof ServiceError) || error.code !== 'VERSION_NOT_FOUND') throw error;
  }
  // By name, not by what was noted: an object whose writer died is noted nowhere.
  for (const key of await store.list(folderOf(job))) await store.remove(key);
  await setFailed(database, leaseId);
}

const folderOf = (job: FreezeJob): string => `versions/${job.id}/`;

/** Builds a file from one scan and stores it; the digest over the records of that scan. */
async function buildAndStore(
  { database, dataset, store, openImage, spool }: FreezeParts,
  job: FreezeJob,
  format: ExportFormat,
  signal: AbortSignal,
): Promise<string> {
  const { revision, record_count: count, reserved_at: date, dataset_id: datasetId } = job;
  if (revision === null || count === null || date === null) throw new Error('a freeze without its state');
  return spool.during(async (folder, full) => {
    const path = join(folder, `file.${format}`);
    const scan = await openScan(dataset, { revision }, { requestId: job.id, signal: AbortSignal.any([signal, full]) });
    const digest = recordsDigest();
    try {
      if (scan.state.datasetId !== datasetId || scan.matching !== count) {
        throw new Error('the dataset is not the one that was set aside');
      }
      const about = {
        name: job.version_identifier,
        kind: 'version' as const,
        date,
        revision,
        count,
        filter: undefined,
        doi: job.doi ?? undefined,
        license: job.license ?? LICENSE,
      };
      await writeFile(format, { about, chunks: digested(scan.chunks, digest) }, path, openImage);
    } finally {
      await scan.close();
    }
    signal.throwIfAborted();
    const file = await describeFile(path);
    // What it holds is part of its name, so that an object is never another one.
    const objectKey = `${folderOf(job)}${file.sha256}.${format}`;
    await store.put(objectKey, path, { once: true });
    if (!(await isStored(store, objectKey, file, signal))) {
      throw new ServiceError('UNAVAILABLE', `The ${format} file is not in the store as it was sent.`);
    }
    await addFreezeFile(database, job.id, { format, objectKey, ...file });
    return digest.digest();
  });
}

async function* digested(
  chunks: FileContents['chunks'],
  digest: ReturnType<typeof recordsDigest>,
): FileContents['chunks'] {
  for await (const chunk of chunks) {
    for (const json of chunk.recordsJson) digest.update(json);
    yield chunk;
  }
}
