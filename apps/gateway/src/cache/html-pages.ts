import type { Request, Response } from 'express';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { Releases } from '../dataset/releases.ts';
import { stateTag } from '../http/state-tag.ts';
import { today } from '../dataset/usage.ts';
import type { Call } from '../http/call.ts';
import { chosenEncoding, ENCODINGS, MIN_COMPRESSED_BYTES } from '../http/encoding.ts';
import { encodedBody, type CachedPage, countCached, type PageCache } from './page-cache.ts';

export interface PageText {
  readonly text: string | Buffer;
  /** All headers except entity tag, encoding and length. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface HtmlPages {
  /** Returns the key of a representation. Throws UNAVAILABLE if it depends on the dataset and dataset-svc is unreachable. */
  keyOf(address: string, representation: string, call: Call): Promise<string>;
  get(key: string): CachedPage | undefined;
  store(key: string, made: PageText): CachedPage;
}

/** The cache of pages that depend only on the dataset state, the release list and the day. */
export function htmlPages(cache: PageCache, states: DatasetStates, releases: Releases): HtmlPages {
  return {
    keyOf: async (address, representation, call) => {
      const [state, { tag }] = await Promise.all([states.current(call), releases.listed(call)]);
      return stateTag(state, `page.${textTag(JSON.stringify([address, representation, tag, today()]))}`);
    },
    ...storage(cache),
  };
}

function storage(cache: PageCache): Pick<HtmlPages, 'get' | 'store'> {
  return {
    get: (key) => {
      const page = cache.get(key);
      if (!page) countCached('html', 'miss');
      return page;
    },
    store: (key, { text, headers }) => {
      const body = typeof text === 'string' ? Buffer.from(text) : text;
      return cache.store({
        kind: 'html',
        key,
        total: 0,
        nextAfter: undefined,
        body,
        headers: { ...headers, ETag: textTag(body) },
      });
    },
  };
}

/** The cache of pages that depend only on the running software and its settings. */
export function fixedPages(cache: PageCache): HtmlPages {
  return {
    keyOf: (address, representation) => Promise.resolve(`fixed.${textTag(JSON.stringify([address, representation]))}`),
    ...storage(cache),
  };
}

/** Returns the part of a URL that a page without parameters reads, in one spelling. */
export function cacheAddress({ request }: { request: Request }): string {
  return decodeURIComponent(request.path);
}

/** Sends a text that depends only on what the key of its page names, from the cache or made by `make`. */
export async function sendCachedText(
  pages: HtmlPages,
  { mediaType, make, address }: { mediaType: string; make: () => Promise<string>; address?: string },
  { request, call }: { request: Request; call: Call },
  response: Response,
): Promise<void> {
  const key = await pages.keyOf(address ?? cacheAddress({ request }), mediaType, call);
  const known = pages.get(key);
  const page = known ?? pages.store(key, { text: await make(), headers: { 'Content-Type': mediaType } });
  await sendHtmlPage(page, request, response);
  if (known) countCached('html', response.statusCode === 304 ? 'not_modified' : 'hit');
}

/** Sends a cached page in the requested encoding, or 304 if the client has it in any encoding. Caches must revalidate it. */
export async function sendHtmlPage(page: CachedPage, request: Request, response: Response): Promise<void> {
  const { ETag: tag = '', ...headers } = page.headers ?? {};
  const encoding = page.body.length < MIN_COMPRESSED_BYTES ? 'identity' : chosenEncoding(request);
  const tagIn = (one: (typeof ENCODINGS)[number]): string => (one === 'identity' ? tag : `${tag}.${one}`);
  const clientTags = parseEntityTags(request.headers['if-none-match']);
  const matchingTag = ENCODINGS.map(tagIn).find((one) => matchesEntityTag(clientTags, one));
  response.vary('Accept-Encoding');
  response.set({ ...headers, 'Cache-Control': 'no-cache', ETag: `"${matchingTag ?? tagIn(encoding)}"` });
  if (matchingTag !== undefined) {
    response.removeHeader('Content-Type');
    response.status(304).end();
    return;
  }
  const body = await encodedBody(page, encoding);
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}
