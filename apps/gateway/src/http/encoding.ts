import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

export type Encoding = 'br' | 'gzip' | 'identity';

export const ENCODINGS: readonly Encoding[] = ['identity', 'br', 'gzip'];
/** Minimum bytes of a compressed body; a smaller one would hardly shrink. */
export const MIN_COMPRESSED_BYTES = 1_024;

const MAX_KNOWN = 1_000;
const MAX_LENGTH = 200;

// Clients send few distinct values, and parsing one costs more than this lookup.
const known = new LRUCache<string, Encoding>({ max: MAX_KNOWN });

/** Returns the preferred encoding of an `Accept-Encoding` value that was parsed before. */
export function knownEncoding(header: string | undefined): Encoding | undefined {
  return header === undefined ? 'identity' : known.get(header);
}

export function chosenEncoding(request: Request): Encoding {
  const header = request.headers['accept-encoding'] ?? '';
  const found = known.get(header);
  if (found) return found;
  const accepted = request.acceptsEncodings('br', 'gzip', 'identity');
  const encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  if (header.length <= MAX_LENGTH) known.set(header, encoding);
  return encoding;
}
