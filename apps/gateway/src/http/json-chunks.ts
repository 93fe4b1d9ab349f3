import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/**
 * Sends a JSON text in chunks, with backpressure and `no-store`. An error before the first chunk is thrown, so that it
 * gets an error body; a later one aborts the response. The first chunk may contain the entity tag, without quotes.
 */
export async function sendJsonChunks<Answer>(
  response: Response<Answer>,
  chunks: AsyncIterable<{ json: Uint8Array; entityTag?: string }>,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new Error('the JSON text has no chunks');
  async function* texts(head: Uint8Array): AsyncGenerator<Uint8Array> {
    try {
      yield head;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value.json;
    } finally {
      await iterator.return?.();
    }
  }
  if (first.value.entityTag) response.set('ETag', `"${first.value.entityTag}"`);
  response.set('Cache-Control', 'no-store').type('json');
  await pipeline(Readable.from(texts(first.value.json), { objectMode: false }), response);
}
