import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readByteRange } from '@esd/service/byte-range';
import { writeParts } from '../export/write-parts.ts';
import type { FileStore, StoredFile } from './file-store.ts';

/** A stored file as a reader gets it. */
export interface StoredAnswer {
  objectKey: string;
  file: StoredFile;
  /** The opaque part of its entity tag. */
  tag: string;
  headers: Readonly<Record<string, string>>;
}

/** What became of it. `damaged`: the object is not there, or not as it was stored; nothing was sent. */
export type SendOutcome = 'whole' | 'part' | 'damaged';

export type SendStoredFile = (
  answer: StoredAnswer,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
) => Promise<SendOutcome>;

const CHECKED_FOR_MS = 600_000;
const MOST_CHECKED = 10_000;

/**
 * Makes the sender of stored files: whole, or the range asked for. An object is read and held against its SHA-256 before
 * its first byte is sent, once in ten minutes, and again while it is sent whole: what differs breaks off before its end.
 */
export function storedFileSender(store: FileStore): SendStoredFile {
  const checked = rememberFor(CHECKED_FOR_MS);
  const isSound = async ({ objectKey, file }: StoredAnswer, signal: AbortSignal): Promise<boolean> => {
    const name = `${objectKey} ${file.sha256}`;
    if (checked.has(name)) return true;
    if (!(await isStored(store, objectKey, file, signal))) return false;
    checked.add(name);
    return true;
  };
  return async (answer, request, response, signal) => {
    const { objectKey, file, tag } = answer;
    // RFC 9110 §14.2: a range is a matter of GET alone.
    const range = request.method === 'GET' ? readByteRange(request.headers, file.bytes, tag) : undefined;
    if (request.method !== 'HEAD' && !(await isSound(answer, signal))) return 'damaged';
    const part = range ?? { start: 0, end: file.bytes - 1 };
    response.writeHead(range ? 206 : 200, {
      ...answer.headers,
      ETag: `"${tag}"`,
      'Accept-Ranges': 'bytes',
      'Content-Length': part.end - part.start + 1,
      ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
    });
    if (request.method === 'HEAD') {
      response.end();
      return 'part';
    }
    const parts = partsOf(store, objectKey, part, signal);
    try {
      await writeParts(range ? parts : guarded(parts, file), response, signal);
    } catch (error) {
      checked.delete(`${objectKey} ${file.sha256}`);
      throw error;
    }
    return range ? 'part' : 'whole';
  };
}

/** Whether an object is there as it was stored: reads all of it. */
export async function isStored(
  store: FileStore,
  objectKey: string,
  file: StoredFile,
  signal: AbortSignal,
): Promise<boolean> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of partsOf(store, objectKey, { start: 0, end: file.bytes - 1 }, signal)) {
    hash.update(part);
    bytes += part.length;
  }
  return bytes === file.bytes && hash.digest('hex') === file.sha256;
}

/** Texts for so long, the newest of them when there are too many. */
function rememberFor(ms: number) {
  const until = new Map<string, number>();
  return {
    has: (text: string): boolean => (until.get(text) ?? 0) > Date.now(),
    add: (text: string): void => {
      until.delete(text);
      until.set(text, Date.now() + ms);
      for (const oldest of until.keys()) {
        if (until.size <= MOST_CHECKED) break;
        until.delete(oldest);
      }
    },
    delete: (text: string) => until.delete(text),
  };
}

/** The bytes of an object; none when it is not there. */
async function* partsOf(
  store: FileStore,
  objectKey: string,
  part: { start: number; end: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const object = await store.open(objectKey, part, signal);
  if (object) yield* object;
}

/** Passes parts on, the last of them only when all have the right hash: Content-Length keeps the answer open until then. */
async function* guarded(parts: AsyncIterable<Buffer>, file: StoredFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for await (const part of parts) {
    hash.update(part);
    if (held) yield held;
    held = part;
  }
  if (hash.digest('hex') !== file.sha256) throw new Error('a stored file changed while it was sent');
  if (held) yield held;
}
