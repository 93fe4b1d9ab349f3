import type { ReleaseEntry } from '@esd/pages/page';
import type { Version } from '@esd/proto/esd/dataset/v1/versions';

/** A release as pages list it. */
export function releaseEntry({ identifier, state, createdAt, doi, description }: Version): ReleaseEntry {
  if (!state || !createdAt) throw new Error(`the version ${identifier} is not whole`);
  return {
    identifier,
    frozenAt: createdAt.toISOString(),
    records: state.recordCount,
    doi: doi ?? null,
    description: description ?? null,
  };
}
