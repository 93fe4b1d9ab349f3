import type { ReleaseEntry } from '@esd/pages/page';
import type { Release } from '@esd/proto/esd/dataset/v1/releases';

/** A release as pages list it. */
export function releaseEntry({ identifier, state, createdAt, doi, description }: Release): ReleaseEntry {
  if (!state || !createdAt) throw new Error(`the version ${identifier} is not whole`);
  return {
    identifier,
    frozenAt: createdAt.toISOString(),
    records: state.recordCount,
    doi: doi ?? null,
    description: description ?? null,
  };
}
