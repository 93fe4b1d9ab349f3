import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../errors.ts';

/** Bytes `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export class UnsatisfiableRange extends ServiceError {
  /** The `Content-Range` of the response (RFC 9110 §14.4). */
  readonly contentRange: string;

  constructor(range: string, bytes: number) {
    super(
      'RANGE_NOT_SATISFIABLE',
      `The range "${range}" is outside the ${bytes} bytes of this content; request a range within it.`,
    );
    this.contentRange = `bytes */${bytes}`;
  }
}

/**
 * Returns the requested range of a representation of `bytes` bytes (RFC 9110 §14.2). Returns undefined for the whole
 * representation: without a range, for several ranges, another unit, or an If-Range that does not match the strong `tag` (its opaque part).
 * Throws UnsatisfiableRange.
 */
export function readByteRange(headers: IncomingHttpHeaders, bytes: number, tag: string): ByteRange | undefined {
  const { range } = headers;
  const condition = headers['if-range'];
  if (range === undefined || (condition !== undefined && condition !== `"${tag}"`)) return undefined;
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const suffix = Math.min(Number(last), bytes);
    if (suffix === 0) throw new UnsatisfiableRange(range, bytes);
    return { start: bytes - suffix, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  // An invalid range is ignored.
  if (last !== '' && start > Number(last)) return undefined;
  if (start >= bytes) throw new UnsatisfiableRange(range, bytes);
  return { start, end };
}
