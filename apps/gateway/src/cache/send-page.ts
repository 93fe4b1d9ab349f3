import type { Request, Response } from 'express';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { NamedState } from '../dataset/named-state.ts';
import type { RawHeaders } from '../http/raw-headers.ts';
import { describePart } from '../http/state-tag.ts';
import { chosenEncoding, MIN_COMPRESSED_BYTES } from '../http/encoding.ts';
import { addressOf, encodedBody, type CachedPage, type PageCache } from './page-cache.ts';

export interface PageToSend {
  page: CachedPage;
  state: DatasetRevision;
  part: string;
  /** Absent: the newest state. */
  named: NamedState | undefined;
}

// Beyond this size, converting the body costs more than a second write.
const MAX_TEXT = 16_384;
const OF_REQUEST = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy']);

declare module 'node:http' {
  interface OutgoingMessage {
    // Exists on every outgoing message, but @types/node declares it for requests only.
    getRawHeaderNames(): string[];
  }
}

/** Sends a cached page in the requested encoding, and caches the response under its address. */
export async function sendPage(
  cache: PageCache,
  { page, state, part, named }: PageToSend,
  request: Request,
  response: Response,
): Promise<void> {
  const preferred = chosenEncoding(request);
  const encoding = page.body.length < MIN_COMPRESSED_BYTES ? 'identity' : preferred;
  const body = await encodedBody(page, encoding);
  describePart(response, state, part, encoding);
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', body.length);
  const { url, route } = request.exchange;
  if (route && request.method === 'GET' && (named?.isPermanent ?? true)) {
    cache.remember(addressOf(url, preferred), {
      page,
      route,
      state,
      isPermanent: named !== undefined,
      headers: headersOfAll(response),
      body,
      text: body.length <= MAX_TEXT ? body.toString('latin1') : undefined,
    });
  }
  response.end(body);
}

function headersOfAll(response: Response): RawHeaders {
  const names = response.getRawHeaderNames().filter((name) => !OF_REQUEST.has(name.toLowerCase()));
  return names.flatMap((name) => [name, String(response.getHeader(name))]);
}
