import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** How a body is sent. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** A page as it is sent; for one state, filter and place it never changes. */
export interface KeptPage {
  /** How many records match in all. */
  total: number;
  body: Buffer;
  compressed: Map<Encoding, Promise<Buffer>>;
}

export interface PageCache {
  /** A page by its key, if it is kept. */
  get(key: string): KeptPage | undefined;
  /** Keeps a page as long as there is room; one that is kept already under the key stays. */
  keep(key: string, total: number, body: Buffer): KeptPage;
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

/** Keeps pages up to `bytes` in all; those not used for longest go first. */
export function openPageCache(bytes: number): PageCache {
  const kept = new LRUCache<string, KeptPage>({
    maxSize: bytes,
    sizeCalculation: ({ body }, key) => Math.ceil(body.length * SHARE) + key.length + ENTRY_BYTES,
  });
  return {
    get: (key) => kept.get(key),
    keep: (key, total, body) => {
      const known = kept.get(key);
      if (known) return known;
      const page: KeptPage = { total, body, compressed: new Map() };
      kept.set(key, page);
      return page;
    },
  };
}

/** The body of a kept page in an encoding; compressed once, at the first use. */
export function encodedBody({ body, compressed }: KeptPage, encoding: Encoding): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  const known = compressed.get(encoding);
  if (known) return known;
  const made = encoding === 'br' ? brotli(body, BROTLI) : gzipped(body);
  compressed.set(encoding, made);
  return made;
}
