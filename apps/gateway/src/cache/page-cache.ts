import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Encoding } from '../http/encoding.ts';
import type { RawHeaders } from '../http/raw-headers.ts';
import type { Route } from '../http/route.ts';

/** A page as it is sent; for one state, filter and place it never changes. */
export interface CachedPage {
  key: string;
  /** How many records match in all. */
  total: number;
  /** Of a page after a record id: where the next one begins, if there is one. */
  nextAfter: number | undefined;
  body: Buffer;
  /** Of a page for people: what is sent with it. */
  headers?: Readonly<Record<string, string>> | undefined;
  compressed: Map<Encoding, Promise<Buffer>>;
  /** Where it was answered; see `Repeat`. */
  addresses: Set<string>;
}

/** The answer to a URL in one encoding, all but what belongs to a single request: it points to its page and goes with it. */
export interface Repeat {
  page: CachedPage;
  route: Pick<Route, 'path' | 'limit'>;
  state: DatasetRevision;
  /** The page of a release: it stays the answer as long as the dataset is the same one. */
  isFixed: boolean;
  headers: RawHeaders;
  body: Buffer;
  /** A small body as one character a byte (latin1): a text goes out in one write with the headers. */
  text: string | undefined;
}

export interface PageCache {
  /** A page by its key, if it is kept. */
  get(key: string): CachedPage | undefined;
  /** Keeps a page as long as there is room; one that is kept already under the key stays. */
  keep(page: Pick<CachedPage, 'key' | 'total' | 'nextAfter' | 'body' | 'headers'>): CachedPage;
  /** What was answered at an address, if its page is kept. */
  repeat(address: string): Repeat | undefined;
  /** Remembers what was answered at an address, as long as its page is kept and there is room. */
  remember(address: string, repeat: Repeat): void;
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
// Quality 5 is where brotli still takes single milliseconds for a page.
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
// What its compressed variants add to a page, at most, and what the entry itself takes.
const SHARE = 1.5;
const ENTRY_BYTES = 500;
// Of all bytes, for addresses: some thousands a megabyte.
const ADDRESS_SHARE = 1 / 16;

/** Where a page is answered: at its URL, in the encoding that is asked for. */
export function addressOf(url: string, encoding: Encoding): string {
  return `${encoding} ${url}`;
}

/** Keeps pages and where they were answered, up to `bytes` in all; those not used for longest go first. */
export function openPageCache(bytes: number): PageCache {
  const ofAddresses = Math.ceil(bytes * ADDRESS_SHARE);
  const repeats = new LRUCache<string, Repeat>({
    maxSize: ofAddresses,
    sizeCalculation: ({ headers, text = '' }, address) =>
      headers.reduce((sum, one) => sum + one.length, address.length + text.length) + ENTRY_BYTES,
    dispose: ({ page }, address) => page.addresses.delete(address),
  });
  const kept = new LRUCache<string, CachedPage>({
    maxSize: bytes - ofAddresses,
    sizeCalculation: ({ body, headers = {} }, key) =>
      Object.values(headers).reduce((sum, one) => sum + one.length, Math.ceil(body.length * SHARE) + key.length) +
      ENTRY_BYTES,
    dispose: ({ addresses }) => {
      for (const address of [...addresses]) repeats.delete(address);
    },
  });
  return {
    get: (key) => kept.get(key),
    keep: (made) => {
      const { key } = made;
      const known = kept.get(key);
      if (known) return known;
      const page: CachedPage = { ...made, compressed: new Map(), addresses: new Set() };
      kept.set(key, page);
      return page;
    },
    repeat: (address) => {
      const found = repeats.get(address);
      // It has been used, and so has its page.
      if (found) kept.get(found.page.key);
      return found;
    },
    remember: (address, repeat) => {
      if (kept.peek(repeat.page.key) !== repeat.page) return;
      repeats.set(address, repeat);
      if (repeats.peek(address) === repeat) repeat.page.addresses.add(address);
    },
  };
}

/** The body of a kept page in an encoding; compressed once, at the first use. */
export function encodedBody({ body, compressed }: CachedPage, encoding: Encoding): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  const known = compressed.get(encoding);
  if (known) return known;
  const made = encoding === 'br' ? brotli(body, BROTLI) : gzipped(body);
  compressed.set(encoding, made);
  return made;
}
