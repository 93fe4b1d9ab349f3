import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ObjectStore } from '@esd/object-store/object-store';
import { type ByteRange, readByteRange } from '@esd/service/http/byte-range';
import type { StoredFile } from './stored-file.ts';
import { writeStream } from './write-stream.ts';

export interface StoredAnswer {
  objectKey: string;
  file: StoredFile;
  /** The opaque part of the entity tag in the response. */
  tag: string;
  headers: Readonly<Record<string, string>>;
  /** Records the entity tag of the object in the store. Undefined makes the next read compare the bytes first. */
  setEntityTag: (entityTag: string | undefined) => Promise<void>;
}

/** `damaged`: the object is lost or altered, and no response was sent. */
export type SendOutcome = 'whole' | 'part' | 'damaged';

export type SendStoredFile = (
  answer: StoredAnswer,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
) => Promise<SendOutcome>;

/**
 * Returns a function that sends a stored file or the requested range of it. If the entity tag in the store has changed,
 * as in a restored bucket, it first compares the SHA-256. It hashes a complete file while sending it, and aborts the
 * response for an altered file.
 */
export function storedFileSender(store: ObjectStore): SendStoredFile {
  return async (answer, request, response, signal) => {
    const { file, tag } = answer;
    // Ranges apply only to GET (RFC 9110, section 14.2).
    const range = request.method === 'GET' ? readByteRange(request.headers, file.bytes, tag) : undefined;
    const part = range ?? { start: 0, end: file.bytes - 1 };
    const body = request.method === 'HEAD' ? undefined : await openUnaltered(store, answer, part, signal);
    if (!body && request.method !== 'HEAD') return 'damaged';
    response.writeHead(range ? 206 : 200, {
      ...answer.headers,
      ETag: `"${tag}"`,
      'Accept-Ranges': 'bytes',
      'Content-Length': part.end - part.start + 1,
      ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
    });
    if (!body) {
      response.end();
      return 'part';
    }
    try {
      await writeStream(range ? chunksOf(body) : checked(chunksOf(body), file), response, signal);
    } catch (error) {
      if (error instanceof AlteredFile) await answer.setEntityTag(undefined);
      throw error;
    }
    return range ? 'part' : 'whole';
  };
}

/** The bytes of an object changed in the store, but its entity tag did not. */
class AlteredFile extends Error {}

/** Opens a range of an object. Returns undefined if the object is lost or altered. */
export async function openUnaltered(
  store: ObjectStore,
  { objectKey, file, setEntityTag }: Pick<StoredAnswer, 'objectKey' | 'file' | 'setEntityTag'>,
  range: ByteRange,
  signal: AbortSignal,
): Promise<Readable | undefined> {
  const object = await store.open(objectKey, { range, signal });
  if (!object || object.entityTag === file.entityTag) return object?.body;
  object.body.destroy();
  const entityTag = await tagIfUnaltered(store, objectKey, file, signal);
  if (entityTag === undefined) return undefined;
  await setEntityTag(entityTag);
  const again = await store.open(objectKey, { range, signal });
  if (!again || again.entityTag === entityTag) return again?.body;
  again.body.destroy();
  return undefined;
}

/** Reads the whole object. Returns its entity tag in the store if it has the bytes of the file. */
async function tagIfUnaltered(
  store: ObjectStore,
  objectKey: string,
  file: StoredFile,
  signal: AbortSignal,
): Promise<string | undefined> {
  const object = await store.open(objectKey, { signal });
  if (!object) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(object.body)) hash.update(chunk);
  return hash.digest('hex') === file.sha256 ? object.entityTag : undefined;
}

export async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  yield* body;
}

/** Yields the last chunk only if the hash matches. Without it, the response is shorter than its Content-Length. */
async function* checked(chunks: AsyncIterable<Buffer>, file: StoredFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let previous: Buffer | undefined;
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (previous) yield previous;
    previous = chunk;
  }
  if (hash.digest('hex') !== file.sha256) throw new AlteredFile('a stored file was altered');
  if (previous) yield previous;
}
