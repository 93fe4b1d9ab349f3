import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/**
 * Sends a text in chunks, with backpressure. An error before the first chunk is thrown, so that it gets an error body; a later one
 * aborts the response. `headers` are set once there is a chunk.
 */
export async function sendTextChunks(
  response: Response,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncGenerator<string, undefined>,
): Promise<void> {
  const first = await chunks.next();
  async function* all(): AsyncGenerator<string> {
    if (first.value !== undefined) yield first.value;
    yield* chunks;
  }
  response.set(headers);
  await pipeline(Readable.from(all(), { objectMode: false }), response);
}
