import { DATASET_REVISION } from '@esd/api/dataset-headers';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { RULES } from '@esd/record/rules';
import { type EntityTags, matchesEntityTag } from '@esd/service/http/entity-tag';
import type { Response } from 'express';
import { type Encoding, ENCODINGS } from './encoding.ts';
import { JSON_TYPE } from './send-json.ts';

/** Returns the entity tag of one part of a state, such as a page, under the current rules. */
export function stateTag({ datasetId, revision }: DatasetRevision, part: string): string {
  return `${datasetId}.${revision}.${RULES}.${part}`;
}

/**
 * Returns the state in the first tag of this part under the current rules; undefined without such a tag. Without a part,
 * a tag of any part counts.
 */
export function taggedState(tags: EntityTags | undefined, part?: string): DatasetRevision | undefined {
  if (tags === undefined || tags === '*') return undefined;
  for (const tag of tags) {
    const [datasetId, revision, rules, ...rest] = tag.split('.');
    if (!datasetId || !revision || !/^\d{1,15}$/.test(revision)) continue;
    if (rules !== String(RULES) || rest.length === 0 || (part !== undefined && rest.join('.') !== part)) continue;
    return { datasetId, revision: Number(revision) };
  }
  return undefined;
}

/** Sends 304 if the client has this part of a state, in any encoding. Returns whether it did. */
export function sendNotModified(
  response: Response,
  clientTags: EntityTags | undefined,
  state: DatasetRevision,
  part: string,
): boolean {
  const tag = ENCODINGS.map((encoding) => tagOf(state, part, encoding)).find((one) =>
    matchesEntityTag(clientTags, one),
  );
  if (tag !== undefined) {
    response.set({ ETag: `"${tag}"`, [DATASET_REVISION]: String(state.revision) });
    response.status(304).end();
  }
  return tag !== undefined;
}

export function describePart(response: Response, state: DatasetRevision, part: string, encoding: Encoding): void {
  response.setHeader('ETag', `"${tagOf(state, part, encoding)}"`);
  response.setHeader(DATASET_REVISION, state.revision);
  response.setHeader('Content-Type', JSON_TYPE);
}

/** Returns the strong entity tag of a part in an encoding: different bytes need different tags (RFC 9110 §8.8.3.3). */
function tagOf(state: DatasetRevision, part: string, encoding: Encoding): string {
  const tag = stateTag(state, part);
  return encoding === 'identity' ? tag : `${tag}.${encoding}`;
}
