import type { Request, Response } from 'express';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { type EntityTags, matchesEntityTag } from '@esd/service/http/entity-tag';
import type { FixedState } from '../dataset/fixed-state.ts';
import { DATASET_REVISION } from '@esd/service/http/dataset-revision';
import { stateTag } from '../dataset/state-tag.ts';
import type { LimitClass } from '../http/limits/rate-limits.ts';
import type { RawHeaders } from '../http/raw-headers.ts';
import { JSON_TYPE } from '../http/send-json.ts';
import { chosenEncoding, ENCODINGS, LEAST_COMPRESSED } from './encoding.ts';
import { addressOf, encodedBody, type Encoding, type KeptPage, type PageCache } from './page-cache.ts';

/** A kept page as the answer to a request. */
export interface KeptAnswer {
  page: KeptPage;
  state: DatasetRevision;
  /** Names the page within its state. */
  part: string;
  /** Absent: the newest state. */
  fixed: FixedState | undefined;
  /** What an exact repeat counts as; unless given, what its route does. */
  repeatLimit?: LimitClass;
}

// Beyond it the copy costs more than the second write.
const MAX_TEXT = 16_384;
// What belongs to one request.
const OF_REQUEST = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy']);

declare module 'node:http' {
  interface OutgoingMessage {
    // Every outgoing message has it; the types say so of requests alone.
    getRawHeaderNames(): string[];
  }
}

/** Answers 304 to who holds a part of a state in any encoding; tells whether it did. */
export function answeredAsHeld(
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

/** Sends a kept page in the encoding that is asked for, and remembers where it was answered. */
export async function sendKept(
  cache: PageCache,
  { page, state, part, fixed, repeatLimit }: KeptAnswer,
  request: Request,
  response: Response,
): Promise<void> {
  const asked = chosenEncoding(request);
  const encoding = page.body.length < LEAST_COMPRESSED ? 'identity' : asked;
  const body = await encodedBody(page, encoding);
  describePart(response, state, part, encoding);
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', body.length);
  const { url, route } = request.exchange;
  if (route && request.method === 'GET' && (fixed?.isFixed ?? true)) {
    cache.remember(addressOf(url, asked), {
      page,
      route: repeatLimit === undefined ? route : { path: route.path, limit: repeatLimit },
      state,
      isFixed: fixed !== undefined,
      headers: headersOfAll(response),
      body,
      text: body.length <= MAX_TEXT ? body.toString('latin1') : undefined,
    });
  }
  response.end(body);
}

/** Sets tag and type of a part of a state as it is sent in an encoding. */
export function describePart(response: Response, state: DatasetRevision, part: string, encoding: Encoding): void {
  response.setHeader('ETag', `"${tagOf(state, part, encoding)}"`);
  response.setHeader(DATASET_REVISION, state.revision);
  response.setHeader('Content-Type', JSON_TYPE);
}

/** The headers of an answer but for those that belong to its request alone. */
function headersOfAll(response: Response): RawHeaders {
  const names = response.getRawHeaderNames().filter((name) => !OF_REQUEST.has(name.toLowerCase()));
  return names.flatMap((name) => [name, String(response.getHeader(name))]);
}

/** The strong tag of one part in one encoding: other bytes, another tag (RFC 9110 §8.8.3.3). */
function tagOf(state: DatasetRevision, part: string, encoding: Encoding): string {
  const tag = stateTag(state, part);
  return encoding === 'identity' ? tag : `${tag}.${encoding}`;
}
