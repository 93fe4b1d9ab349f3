import type { EntityTags } from '@esd/service/entity-tag';

/** A state of a dataset. */
export interface State {
  datasetId: string;
  revision: number;
}

/** The opaque entity tag of one part of a state, for instance of one page. */
export function stateTag({ datasetId, revision }: State, part: string): string {
  return `${datasetId}.${revision}.${part}`;
}

/** The first state of which the caller says that it holds this very part. */
export function heldState(tags: EntityTags | undefined, part: string): State | undefined {
  if (tags === undefined || tags === '*') return undefined;
  for (const tag of tags) {
    const [datasetId, revision, ...rest] = tag.split('.');
    if (!datasetId || !revision || !/^\d{1,15}$/.test(revision) || rest.join('.') !== part) continue;
    return { datasetId, revision: Number(revision) };
  }
  return undefined;
}
