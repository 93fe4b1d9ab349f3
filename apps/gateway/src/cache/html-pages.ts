import type { Request, Response } from 'express';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { Releases } from '../dataset/releases.ts';
import { stateTag } from '../http/state-tag.ts';
import { today } from '../dataset/usage.ts';
import type { Call } from '../http/call.ts';
import { chosenEncoding, ENCODINGS, LEAST_COMPRESSED } from '../http/encoding.ts';
import { encodedBody, type CachedPage, type PageCache } from './page-cache.ts';

/** What is answered at the address of a page, in one representation. */
export interface PageText {
  readonly text: string | Buffer;
  /** All but those of its tag, encoding and length. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Pages that follow from the dataset's state, the list of releases and the day alone. */
export interface HtmlPages {
  /** The key of what is answered at an address in a representation now. Throws UNAVAILABLE when dataset-svc cannot be asked. */
  keyOf(address: string, representation: string, call: Call): Promise<string>;
  get(key: string): CachedPage | undefined;
  keep(key: string, made: PageText): CachedPage;
}

/** Keeps pages with those of the records. */
export function htmlPages(cache: PageCache, states: DatasetStates, releases: Releases): HtmlPages {
  return {
    keyOf: async (address, representation, call) => {
      const [state, { tag }] = await Promise.all([states.current(call), releases.listed(call)]);
      return stateTag(state, `page.${textTag(JSON.stringify([address, representation, tag, today()]))}`);
    },
    get: (key) => cache.get(key),
    keep: (key, { text, headers }) => {
      const body = typeof text === 'string' ? Buffer.from(text) : text;
      return cache.keep({ key, total: 0, nextAfter: undefined, body, headers: { ...headers, ETag: textTag(body) } });
    },
  };
}

/** Sends a kept page in the encoding that is asked for, or 304 to who holds it in any. A cache has to ask for it again each time. */
export async function sendHtmlPage(page: CachedPage, request: Request, response: Response): Promise<void> {
  const { ETag: tag = '', ...headers } = page.headers ?? {};
  const encoding = page.body.length < LEAST_COMPRESSED ? 'identity' : chosenEncoding(request);
  const tagIn = (one: (typeof ENCODINGS)[number]): string => (one === 'identity' ? tag : `${tag}.${one}`);
  const held = parseEntityTags(request.headers['if-none-match']);
  const heldTag = ENCODINGS.map(tagIn).find((one) => matchesEntityTag(held, one));
  response.vary('Accept-Encoding');
  response.set({ ...headers, 'Cache-Control': 'no-cache', ETag: `"${heldTag ?? tagIn(encoding)}"` });
  if (heldTag !== undefined) {
    response.removeHeader('Content-Type');
    response.status(304).end();
    return;
  }
  const body = await encodedBody(page, encoding);
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}
