import { join } from 'node:path';
import type { ReleaseServiceService } from '@esd/proto/esd/dataset/v1/releases';
import type { FileHash } from '@esd/object-store/file-hash';
import type { ObjectStore } from '@esd/object-store/object-store';
import { type FileFormatName, fileFormatNames, fileFormats } from '@esd/record/catalog/file-formats';
import { columnsOf } from '@esd/record/flatten/file-columns';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { ServiceError } from '@esd/service/errors';
import { recordsDigest } from '@esd/dataset-client/records-digest';
import type { RpcClient } from '@esd/service/rpc/rpc-client';
import type { TempStorage } from '@esd/service/http/temp-storage';
import type { Kysely } from 'kysely';
import { type DatasetReader, openScan, PLAIN } from '../files/open-scan.ts';
import type { FileContents } from '../files/file-contents.ts';
import type { OpenImage } from '../files/record-images.ts';
import { measuredBuild } from '../files/measured-build.ts';
import { scanForm, writeFile } from '../files/writers.ts';
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

export interface FreezeDependencies {
  database: Kysely<Tables>;
  dataset: DatasetReader;
  releases: Pick<RpcClient<typeof ReleaseServiceService>, 'reserveRelease' | 'setReleaseFailed'>;
  store: ObjectStore;
  openImage: OpenImage;
  tempStorage: TempStorage;
  /** The facts of the dataset, which are frozen with the release. */
  facts: DatasetFacts;
  /** The root URL of the public interface, without a trailing slash; empty if not configured. */
  root: string;
}

/** The format whose scan computes the digest. */
const [DIGEST_FORMAT] = fileFormatNames;

/** Reserves latest for a job at dataset-svc. Idempotent. Throws CONFLICT or INVALID_REQUEST. */
export async function reserve({ database, releases, facts }: FreezeDependencies, job: FreezeJob): Promise<FreezeJob> {
  if (job.release_id !== null) return job;
  const { release } = await releases.reserveRelease(
    {
      jobId: job.id,
      identifier: job.identifier,
      description: job.description ?? undefined,
      doi: job.doi ?? undefined,
      license: job.license ?? undefined,
      accountId: job.account_id,
      factsJson: JSON.stringify(facts),
    },
    { requestId: job.id },
  );
  if (!release?.state || !release.createdAt) throw new Error('the reserved release has no state');
  const { datasetId, revision, recordCount } = release.state;
  const { id: releaseId, createdAt: reservedAt, license } = release;
  return setReserved(database, job.id, { releaseId, datasetId, revision, recordCount, license, reservedAt });
}

/**
 * Reserves a release, builds and stores its files, and publishes it. An interrupted job continues from its last
 * recorded step.
 */
export async function freeze(
  parts: FreezeDependencies,
  job: FreezeJob,
  leaseId: string,
  signal: AbortSignal,
): Promise<void> {
  const { database } = parts;
  const reserved = await reserve(parts, job);
  let { digest } = reserved;
  for (const format of fileFormatNames) {
    signal.throwIfAborted();
    const stored = await findFreezeFiles(database, job.id);
    const takesDigest = format === DIGEST_FORMAT && digest === null;
    if (!takesDigest && stored.some((file) => file.format === format)) continue;
    const taken = await measuredBuild(format, () => buildAndStore(parts, { ...reserved, digest }, format, signal));
    if (takesDigest) {
      digest = taken;
      await setDigest(database, job.id, taken);
    }
  }
  const files = await findFreezeFiles(database, job.id);
  if (digest === null || files.length !== fileFormatNames.length) throw new Error('files of the freeze are missing');
  signal.throwIfAborted();
  await setFrozen(database, reserved, { leaseId, digest, files });
}

/** Notifies dataset-svc of a failing job, deletes its objects and ends it. Idempotent. */
export async function endFailed(parts: FreezeDependencies, job: FreezeJob, leaseId: string): Promise<void> {
  const { database, store, releases } = parts;
  try {
    await releases.setReleaseFailed({ jobId: job.id, reason: job.failure ?? 'unknown' }, { requestId: job.id });
  } catch (error) {
    // The job had not reserved a release.
    if (!(error instanceof ServiceError) || error.code !== 'VERSION_NOT_FOUND') throw error;
  }
  // The objects are listed in the store, because the object of a crashed writer is not recorded.
  const keys: string[] = [];
  for await (const { key } of store.list(folderOf(job))) keys.push(key);
  if (keys.length > 0) await store.remove(keys);
  await setFailed(database, leaseId);
}

const folderOf = (job: FreezeJob): string => `versions/${job.id}/`;

/** Builds and stores a file. Returns the digest of the scanned records. */
async function buildAndStore(
  { database, dataset, store, openImage, tempStorage, facts, root }: FreezeDependencies,
  job: FreezeJob,
  format: FileFormatName,
  signal: AbortSignal,
): Promise<string> {
  const { revision, record_count: count, reserved_at: date, dataset_id: datasetId } = job;
  if (revision === null || count === null || date === null) throw new Error('the freeze has no state');
  return tempStorage.during(async (folder, full) => {
    const path = join(folder, `file.${format}`);
    const form = scanForm(format, PLAIN);
    const scan = await openScan(
      dataset,
      { revision, form },
      { requestId: job.id, signal: AbortSignal.any([signal, full]) },
    );
    const digest = recordsDigest();
    let hash: FileHash;
    try {
      if (scan.state.datasetId !== datasetId || scan.matching !== count) {
        throw new Error('the dataset differs from the reserved one');
      }
      const about = {
        facts,
        root,
        name: job.identifier,
        kind: 'version' as const,
        date,
        revision,
        digest: job.digest ?? undefined,
        count,
        filter: undefined,
        doi: job.doi ?? undefined,
        license: job.license ?? facts.license,
      };
      hash = await writeFile(format, { about, chunks: digested(scan.chunks, digest) }, path, openImage);
    } finally {
      await scan.close();
    }
    signal.throwIfAborted();
    // The object key contains the hash, so the object never has other bytes.
    const objectKey = `${folderOf(job)}${hash.sha256}.${format}`;
    const { mediaType } = fileFormats[format];
    const file = await store.put(objectKey, path, { once: true, mediaType, hash, signal });
    const columns = columnsOf(format);
    await addFreezeFile(database, job.id, {
      ...{ format, objectKey, ...file },
      columns: columns && JSON.stringify(columns),
    });
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
