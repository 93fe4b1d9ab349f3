import { SnapshotFrozen } from '@esd/proto/esd/events/v1/snapshot_frozen';
import type { ReleaseFile } from './release.table.ts';

export interface FrozenRelease {
  jobId: string;
  releaseId: number;
  recordCount: number;
  digest: string;
  files: ReleaseFile[];
  frozenAt: Date;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHA_256 = /^[0-9a-f]{64}$/;

/** Decodes `esd.snapshot.frozen.v1`. Throws for an invalid or incomplete message. */
export function decodeSnapshotFrozen(bytes: Uint8Array): FrozenRelease {
  const { jobId, releaseId, recordCount, digest, files, frozenAt } = SnapshotFrozen.decode(bytes);
  const isComplete = UUID.test(jobId) && releaseId > 0 && SHA_256.test(digest) && files.length > 0;
  if (!isComplete || !frozenAt) throw new Error(`snapshot.frozen of release ${releaseId} is incomplete`);
  const broken = files.find(({ format, sha256 }) => format === '' || !SHA_256.test(sha256));
  if (broken) throw new Error(`snapshot.frozen of release ${releaseId} has a file "${broken.format}" without SHA-256`);
  return {
    jobId,
    releaseId,
    recordCount,
    digest,
    files: files.map(({ format, bytes: size, sha256 }) => ({ format, bytes: size, sha256 })),
    frozenAt,
  };
}
