import { Counter } from 'prom-client';
import type { FileFormatName } from '@esd/record/catalog/file-formats';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { metrics } from '@esd/service/health/metrics';
import type { FreezeFile } from '../freeze/freeze-job.store.ts';
import type { Source } from './find-source.ts';

/** Finds the stored files of a release by the job that made it. */
export interface ReleaseFileStore {
  findReleaseFile: (jobId: string, format: string) => Promise<FreezeFile | undefined>;
  setReleaseFileTag: (objectKey: string, entityTag: string | undefined) => Promise<void>;
  log: Logger;
}

const damagedReleaseFiles = new Counter({
  name: 'esd_damaged_release_files_total',
  help: 'Requests for a stored file of a release that is lost or not as it was stored.',
  labelNames: ['format'],
  registers: [metrics],
});

/**
 * The file of a format that belongs to a release; undefined when it has none of this format, `damaged` when it is not the one that
 * the release was frozen with: the store of another day than the dataset's.
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

/** Counts a file of a release that is lost or damaged, and says in the log which one has to be restored. */
export function reportDamaged(
  { log }: ReleaseFileStore,
  requestId: string,
  source: Source,
  format: FileFormatName,
  objectKey: string | undefined,
): void {
  damagedReleaseFiles.inc({ format });
  const sha256 = source.frozen?.files.find((file) => file.format === format)?.sha256;
  const file = { version: source.name, format, objectKey, sha256 };
  log.error({ requestId, ...file }, 'a stored file of a release is lost or damaged; restore it from the backup');
}

/** The refusal of a file that is not as it was stored. */
export function damagedFile(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The stored file is lost or damaged in the store; it is not sent until it has been restored.',
  );
}
