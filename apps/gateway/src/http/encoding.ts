import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

/** How a body is sent. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** How a body can be sent, the plain one first. */
export const ENCODINGS: readonly Encoding[] = ['identity', 'br', 'gzip'];
/** Bytes from which on a body is compressed: a smaller one would hardly shrink. */
export const LEAST_COMPRESSED = 1_024;

const MAX_KNOWN = 1_000;
const MAX_LENGTH = 200;

// What clients send are a few texts, and reading one costs more than to find it here.
const known = new LRUCache<string, Encoding>({ max: MAX_KNOWN });

/** The encoding that a request asks for, if another one with the same `Accept-Encoding` was read before. */
export function knownEncoding(header: string | undefined): Encoding | undefined {
  return header === undefined ? 'identity' : known.get(header);
}

/** The encoding that a request asks for. */
export function chosenEncoding(request: Request): Encoding {
  const header = request.headers['accept-encoding'] ?? '';
  const found = known.get(header);
  if (found) return found;
  const accepted = request.acceptsEncodings('br', 'gzip', 'identity');
  const encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  if (header.length <= MAX_LENGTH) known.set(header, encoding);
  return encoding;
}
