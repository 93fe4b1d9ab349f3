import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ObjectStore } from '@esd/object-store/object-store';
import { type ByteRange, readByteRange } from '@esd/service/http/byte-range';
import { damagedFile } from '../export/release-file.ts';
import { chunksOf, openUnaltered, type SendOutcome } from '../files/send-stored-file.ts';
import { writeStream } from '../files/write-stream.ts';
import type { Bundle } from './bundle.ts';
import type { StableFile } from './stable-files.ts';

interface StoredPiece {
  file: StableFile;
  range: ByteRange;
}

/**
 * Sends all parts, or the requested range of them. Throws UNAVAILABLE if the first stored file is unreadable or
 * altered. If a later file is unreadable or altered, aborts the response.
 */
export async function sendParts(
  store: ObjectStore,
  { tag, parts }: Bundle,
  headers: Readonly<Record<string, string>>,
  { request, response, signal }: { request: IncomingMessage; response: ServerResponse; signal: AbortSignal },
): Promise<SendOutcome> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  // Ranges apply only to GET (RFC 9110, section 14.2).
  const range = request.method === 'GET' ? readByteRange(request.headers, bytes, tag) : undefined;
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  const pieces = request.method === 'HEAD' ? [] : piecesOf(parts, { start, end });
  const first = pieces.find((piece): piece is StoredPiece => !Buffer.isBuffer(piece));
  // Opened before the response begins, so that a failure returns an error body.
  const opened = first && { piece: first, body: await openFile(store, first, signal) };
  try {
    response.writeHead(range ? 206 : 200, {
      ...headers,
      ETag: `"${tag}"`,
      'Accept-Ranges': 'bytes',
      'Content-Length': end - start + 1,
      ...(range ? { 'Content-Range': `bytes ${start}-${end}/${bytes}` } : {}),
    });
    if (request.method === 'HEAD') {
      response.end();
      return 'part';
    }
    const open = (piece: StoredPiece) => (piece === opened?.piece ? opened.body : openFile(store, piece, signal));
    await writeStream(bytesOf(pieces, open), response, signal);
  } finally {
    opened?.body.destroy();
  }
  return range ? 'part' : 'whole';
}

/** Returns the parts within a range, whose ends are both inclusive. */
function piecesOf(parts: Bundle['parts'], { start, end }: ByteRange): (Buffer | StoredPiece)[] {
  const pieces: (Buffer | StoredPiece)[] = [];
  let offset = 0;
  for (const part of parts) {
    const range = { start: Math.max(start - offset, 0), end: Math.min(end - offset, part.bytes - 1) };
    offset += part.bytes;
    if (range.start > range.end) continue;
    const content = 'header' in part ? part.header : part.content;
    pieces.push(Buffer.isBuffer(content) ? content.subarray(range.start, range.end + 1) : { file: content, range });
  }
  return pieces;
}

async function openFile(store: ObjectStore, { file, range }: StoredPiece, signal: AbortSignal): Promise<Readable> {
  const body = await openUnaltered(store, file, range, signal);
  if (body) return body;
  await file.lost();
  throw damagedFile();
}

async function* bytesOf(
  pieces: readonly (Buffer | StoredPiece)[],
  open: (piece: StoredPiece) => Readable | Promise<Readable>,
): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    else yield* chunksOf(await open(piece));
  }
}
