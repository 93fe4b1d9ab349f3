import type { FileFormatName } from '@esd/record/catalog/file-formats';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { counter } from '@esd/service/health/metrics';
import type { FreezeFile } from '../freeze/freeze-job.store.ts';
import type { Source } from './find-source.ts';

export interface ReleaseFileStore {
  findReleaseFile: (jobId: string, format: string) => Promise<FreezeFile | undefined>;
  setReleaseFileTag: (objectKey: string, entityTag: string | undefined) => Promise<void>;
  log: Logger;
}

const damaged = counter('esd_version_files_damaged_total');

/**
 * Finds a file of a release. Returns undefined if the release has no file of this format, and `damaged` if the stored
 * row and the listed file differ.
 */
export async function findReleaseFile(
  store: ReleaseFileStore,
  { frozen }: Source,
  format: FileFormatName,
): Promise<FreezeFile | 'damaged' | undefined> {
  if (frozen?.jobId === undefined) return undefined;
  const stored = await store.findReleaseFile(frozen.jobId, format);
  const listed = frozen.files.find((file) => file.format === format);
  if (!stored) return listed && 'damaged';
  return listed && listed.sha256 !== stored.sha256 ? 'damaged' : stored;
}

/** Counts a lost or damaged file of a release, and logs the object to restore. */
export function reportDamaged(
  { log }: ReleaseFileStore,
  requestId: string,
  source: Source,
  format: FileFormatName,
  objectKey: string | undefined,
): void {
  damaged.inc({ format });
  const sha256 = source.frozen?.files.find((file) => file.format === format)?.sha256;
  const file = { version: source.name, format, objectKey, sha256 };
  log.error({ requestId, ...file }, 'release file lost or damaged; restore it from the backup');
}

export function damagedFile(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The stored file is lost or damaged. It is unavailable until it has been restored.',
  );
}
