import { DATASET_REVISION, type DatasetRevision } from '@esd/dataset-client/dataset-state';
import { RULES } from '@esd/record/rules';
import { type EntityTags, matchesEntityTag } from '@esd/service/http/entity-tag';
import type { Response } from 'express';
import { type Encoding, ENCODINGS } from './encoding.ts';
import { JSON_TYPE } from './send-json.ts';

/** The headers that the OpenAPI document describes for a response that was read from a state of the dataset. */
export const stateHeaders = { [DATASET_REVISION]: 'The dataset revision that was read.' } as const;

/** Returns the opaque entity tag of one part of a state, for instance of one page, under the current rules. */
export function stateTag({ datasetId, revision }: DatasetRevision, part: string): string {
  return `${datasetId}.${revision}.${RULES}.${part}`;
}

/** Returns the first state of which the caller has this part. */
export function taggedState(tags: EntityTags | undefined, part: string): DatasetRevision | undefined {
  if (tags === undefined || tags === '*') return undefined;
  for (const tag of tags) {
    const [datasetId, revision, rules, ...rest] = tag.split('.');
    if (!datasetId || !revision || !/^\d{1,15}$/.test(revision)) continue;
    if (rules !== String(RULES) || rest.join('.') !== part) continue;
    return { datasetId, revision: Number(revision) };
  }
  return undefined;
}

/** Sends 304 if the client has this part of a state in any encoding. Returns whether it did. */
export function sendNotModified(
  response: Response,
  held: EntityTags | undefined,
  state: DatasetRevision,
  part: string,
): boolean {
  const tag = ENCODINGS.map((encoding) => tagOf(state, part, encoding)).find((one) => matchesEntityTag(held, one));
  if (tag !== undefined) {
    response.set({ ETag: `"${tag}"`, [DATASET_REVISION]: String(state.revision) });
    response.status(304).end();
  }
  return tag !== undefined;
}

/** Sets the headers of a part of a state in an encoding. */
export function describePart(response: Response, state: DatasetRevision, part: string, encoding: Encoding): void {
  response.setHeader('ETag', `"${tagOf(state, part, encoding)}"`);
  response.setHeader(DATASET_REVISION, state.revision);
  response.setHeader('Content-Type', JSON_TYPE);
}

/** The strong tag of one part in one encoding: other bytes, another tag (RFC 9110 §8.8.3.3). */
function tagOf(state: DatasetRevision, part: string, encoding: Encoding): string {
  const tag = stateTag(state, part);
  return encoding === 'identity' ? tag : `${tag}.${encoding}`;
}
