import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/**
 * Answers with a JSON text that comes in parts, not to be kept by anybody. A part is asked for when the caller has taken
 * those before. What fails before the first part is thrown, so that it has its error body; later the answer is cut.
 */
export async function sendJsonParts<Answer>(
  response: Response<Answer>,
  parts: AsyncIterable<{ json: Uint8Array }>,
): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new Error('a JSON text without a part');
  async function* texts(head: Uint8Array): AsyncGenerator<Uint8Array> {
    try {
      yield head;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value.json;
    } finally {
      await iterator.return?.();
    }
  }
  response.set('Cache-Control', 'no-store').type('json');
  await pipeline(Readable.from(texts(first.value.json), { objectMode: false }), response);
}
