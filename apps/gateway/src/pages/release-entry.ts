import type { ReleaseEntry } from '@esd/pages/page';
import type { Release } from '@esd/proto/esd/dataset/v1/releases';

export function releaseEntry({ identifier, state, createdAt, doi, description }: Release): ReleaseEntry {
  if (!state || !createdAt) throw new Error(`release ${identifier} is incomplete`);
  return {
    identifier,
    frozenAt: createdAt.toISOString(),
    records: state.recordCount,
    doi: doi ?? null,
    description: description ?? null,
  };
}
