import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { RULES } from '@esd/record/rules';
import type { EntityTags } from '@esd/service/http/entity-tag';

/** The opaque entity tag of one part of a state, for instance of one page, as it is read by today's rules. */
export function stateTag({ datasetId, revision }: DatasetRevision, part: string): string {
  return `${datasetId}.${revision}.${RULES}.${part}`;
}

/** The first state of which the caller says that it holds this very part. */
export function heldState(tags: EntityTags | undefined, part: string): DatasetRevision | undefined {
  if (tags === undefined || tags === '*') return undefined;
  for (const tag of tags) {
    const [datasetId, revision, rules, ...rest] = tag.split('.');
    if (!datasetId || !revision || !/^\d{1,15}$/.test(revision)) continue;
    if (rules !== String(RULES) || rest.join('.') !== part) continue;
    return { datasetId, revision: Number(revision) };
  }
  return undefined;
}
