import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../errors.ts';

/** Bytes `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A range of which no byte is there. */
export class UnsatisfiableRange extends ServiceError {
  /** Belongs to the answer (RFC 9110 §14.4). */
  readonly contentRange: string;

  constructor(range: string, bytes: number) {
    super('RANGE_NOT_SATISFIABLE', `"${range}" asks for bytes beyond the ${bytes} that there are.`);
    this.contentRange = `bytes */${bytes}`;
  }
}

/**
 * The part of a stored representation of `bytes` bytes that a request asks for (RFC 9110 §14.2): undefined for the whole,
 * which is also the answer to several ranges, to another unit, and to an If-Range that does not name the strong `tag` (its
 * opaque part). Throws UnsatisfiableRange.
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
  // The first byte after the last one: no range at all.
  if (last !== '' && start > Number(last)) return undefined;
  if (start >= bytes) throw new UnsatisfiableRange(range, bytes);
  return { start, end };
}
