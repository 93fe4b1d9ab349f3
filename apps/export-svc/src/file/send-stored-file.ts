import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { readByteRange } from '@esd/service/byte-range';
import { writeParts } from '../export/write-parts.ts';
import type { FileStore, OpenedObject, StoredFile } from './file-store.ts';

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
 * its first byte is sent, once in ten minutes and whenever the store has another one under its key; and again while it is
 * sent whole: what differs breaks off before its end.
 */
export function storedFileSender(store: FileStore): SendStoredFile {
  const checked = rememberFor(CHECKED_FOR_MS);
  const openSound = async (
    { objectKey, file }: Pick<StoredAnswer, 'objectKey' | 'file'>,
    part: Part,
    signal: AbortSignal,
  ): Promise<OpenedObject | undefined> => {
    const name = `${objectKey} ${file.sha256}`;
    const isChecked = checked.get(name) !== undefined;
    if (!isChecked) {
      const tag = await soundTag(store, objectKey, file, signal);
      if (tag === undefined) return undefined;
      checked.set(name, tag);
    }
    const object = await store.open(objectKey, part, signal);
    if (object && object.entityTag === checked.get(name)) return object;
    object?.bytes.destroy();
    checked.delete(name);
    return isChecked ? openSound({ objectKey, file }, part, signal) : undefined;
  };
  return async (answer, request, response, signal) => {
    const { objectKey, file, tag } = answer;
    // RFC 9110 §14.2: a range is a matter of GET alone.
    const range = request.method === 'GET' ? readByteRange(request.headers, file.bytes, tag) : undefined;
    const part = range ?? { start: 0, end: file.bytes - 1 };
    const object = request.method === 'HEAD' ? undefined : await openSound(answer, part, signal);
    if (!object && request.method !== 'HEAD') return 'damaged';
    response.writeHead(range ? 206 : 200, {
      ...answer.headers,
      ETag: `"${tag}"`,
      'Accept-Ranges': 'bytes',
      'Content-Length': part.end - part.start + 1,
      ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
    });
    if (!object) {
      response.end();
      return 'part';
    }
    try {
      await writeParts(range ? partsOf(object.bytes) : guarded(partsOf(object.bytes), file), response, signal);
    } catch (error) {
      checked.delete(`${objectKey} ${file.sha256}`);
      throw error;
    }
    return range ? 'part' : 'whole';
  };
}

/** Bytes `start` to `end` of a file, both inclusive. */
interface Part {
  start: number;
  end: number;
}

/** Whether an object is there as it was stored: reads all of it. */
export async function isStored(
  store: FileStore,
  objectKey: string,
  file: StoredFile,
  signal: AbortSignal,
): Promise<boolean> {
  return (await soundTag(store, objectKey, file, signal)) !== undefined;
}

/** The store's entity tag of an object that is there as it was stored: reads all of it. */
async function soundTag(
  store: FileStore,
  objectKey: string,
  file: StoredFile,
  signal: AbortSignal,
): Promise<string | undefined> {
  const object = await store.open(objectKey, { start: 0, end: file.bytes - 1 }, signal);
  if (!object) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of partsOf(object.bytes)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return bytes === file.bytes && hash.digest('hex') === file.sha256 ? object.entityTag : undefined;
}

/** What is known for so long, the newest of it when there is too much. */
function rememberFor(ms: number) {
  const held = new Map<string, { value: string; until: number }>();
  return {
    get: (name: string): string | undefined => {
      const one = held.get(name);
      return one && one.until > Date.now() ? one.value : undefined;
    },
    set: (name: string, value: string): void => {
      held.delete(name);
      held.set(name, { value, until: Date.now() + ms });
      for (const oldest of held.keys()) {
        if (held.size <= MOST_CHECKED) break;
        held.delete(oldest);
      }
    },
    delete: (name: string) => held.delete(name),
  };
}

/** The bytes of a stream, by its type. */
async function* partsOf(bytes: Readable): AsyncGenerator<Buffer> {
  yield* bytes;
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
