import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { counter, gauge } from '@esd/service/health/metrics';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Encoding } from '../http/encoding.ts';
import type { RawHeaders } from '../http/raw-headers.ts';
import type { Route } from '../http/route.ts';

/** A page of records or one record, an analysis, or a web page. */
export type CachedKind = 'page' | 'analysis' | 'html';

/** A page ready to send. It never changes for one dataset state, filter and position. */
export interface CachedPage {
  kind: CachedKind;
  key: string;
  total: number;
  /** The record id after which the next page begins; undefined for the last page, and for pages that are found by `skip`. */
  nextAfter: number | undefined;
  body: Buffer;
  /** Additional headers of a web page. */
  headers?: Readonly<Record<string, string>> | undefined;
  compressed: Map<Encoding, Promise<Buffer>>;
  addresses: Set<string>;
}

/** The cached response to a URL in one encoding, without the headers of a single request. It is evicted with its page. */
export interface CachedResponse {
  page: CachedPage;
  route: Pick<Route, 'path' | 'limit'>;
  state: DatasetRevision;
  /** Whether the URL names a state that does not change. The page then stays valid unless the dataset is replaced. */
  isPermanent: boolean;
  headers: RawHeaders;
  body: Buffer;
  /** A small body as latin1: a string goes out in one write with the headers. */
  text: string | undefined;
}

export interface PageCache {
  get(key: string): CachedPage | undefined;
  /** Caches a page, or returns the page that is already cached under the key. */
  store(page: Pick<CachedPage, 'kind' | 'key' | 'total' | 'nextAfter' | 'body' | 'headers'>): CachedPage;
  response(address: string): CachedResponse | undefined;
  remember(address: string, response: CachedResponse): void;
}

const requests = counter('esd_cache_requests_total');
const cachedBytes = gauge('esd_cache_bytes');

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
// At quality 5, brotli compresses a page within a few milliseconds.
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
// Upper bounds of the size of a page with its compressed variants, relative to its body, and of the overhead of an entry.
const SHARE = 1.5;
const ENTRY_BYTES = 500;
// The share of the cache that stores addresses: several thousand per megabyte.
const ADDRESS_SHARE = 1 / 16;

/** Counts a request for a cacheable response. */
export function countCached(cache: CachedKind, result: 'hit' | 'not_modified' | 'miss'): void {
  requests.inc({ cache, result });
}

export function addressOf(url: string, encoding: Encoding): string {
  return `${encoding} ${url}`;
}

/** Opens a cache of pages and their addresses, up to `bytes` in total. Evicts the least recently used first. */
export function openPageCache(bytes: number): PageCache {
  const ofAddresses = Math.ceil(bytes * ADDRESS_SHARE);
  const responses = new LRUCache<string, CachedResponse>({
    maxSize: ofAddresses,
    sizeCalculation: ({ headers, text = '' }, address) =>
      headers.reduce((sum, one) => sum + one.length, address.length + text.length) + ENTRY_BYTES,
    dispose: ({ page }, address) => page.addresses.delete(address),
  });
  const pages = new LRUCache<string, CachedPage>({
    maxSize: bytes - ofAddresses,
    sizeCalculation: sizeOf,
    onInsert: (page, key) => {
      cachedBytes.inc({ cache: page.kind }, sizeOf(page, key));
    },
    dispose: (page, key) => {
      cachedBytes.dec({ cache: page.kind }, sizeOf(page, key));
      const { addresses } = page;
      for (const address of [...addresses]) responses.delete(address);
    },
  });
  return {
    get: (key) => pages.get(key),
    store: (made) => {
      const { key } = made;
      const known = pages.get(key);
      if (known) return known;
      const page: CachedPage = { ...made, compressed: new Map(), addresses: new Set() };
      pages.set(key, page);
      return page;
    },
    response: (address) => {
      const found = responses.get(address);
      // Marks the page as recently used.
      if (found) pages.get(found.page.key);
      return found;
    },
    remember: (address, response) => {
      if (pages.peek(response.page.key) !== response.page) return;
      responses.set(address, response);
      if (responses.peek(address) === response) response.page.addresses.add(address);
    },
  };
}

function sizeOf({ body, headers = {} }: CachedPage, key: string): number {
  const ofHeaders = Object.values(headers).reduce((sum, one) => sum + one.length, 0);
  return Math.ceil(body.length * SHARE) + key.length + ofHeaders + ENTRY_BYTES;
}

/** Returns the body of a cached page in an encoding. It is compressed once, on first use. */
export function encodedBody({ body, compressed }: CachedPage, encoding: Encoding): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  const known = compressed.get(encoding);
  if (known) return known;
  const made = encoding === 'br' ? brotli(body, BROTLI) : gzipped(body);
  compressed.set(encoding, made);
  return made;
}
