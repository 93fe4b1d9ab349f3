import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { ServiceError } from '@esd/service/errors';

const STALLED_READER_MS = 30_000;
const READ_AHEAD = 512 * 1024;

/**
 * Reads the first 512 KB of a file, so that a failure up to there becomes an error response instead of a broken download.
 * Throws if the source fails.
 */
export async function readAhead(source: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const chunks = source[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let next = await chunks.next();
  for (let bytes = 0; !next.done && bytes < READ_AHEAD; next = await chunks.next()) {
    first.push(next.value);
    bytes += next.value.length;
  }
  return (async function* () {
    yield* first;
    for (; !next.done; next = await chunks.next()) yield next.value;
  })();
}

/**
 * Writes a file at the pace of the client and ends the response. Throws if the source fails, the client reads nothing
 * for 30 s, or `signal` aborts. It then does not end the response, so that an incomplete file never looks complete.
 */
export async function writeStream(
  source: AsyncIterable<Buffer>,
  response: Writable,
  signal: AbortSignal,
): Promise<void> {
  const stalled = new AbortController();
  const ended = AbortSignal.any([signal, stalled.signal]);
  const readerTakes = async (): Promise<void> => {
    const timer = setTimeout(() => {
      stalled.abort();
    }, STALLED_READER_MS);
    try {
      await once(response, 'drain', { signal: ended });
    } catch (cause) {
      throw new ServiceError('UNAVAILABLE', `The client has read nothing for ${STALLED_READER_MS / 1000} s.`, {
        cause,
      });
    } finally {
      clearTimeout(timer);
    }
  };
  for await (const chunk of source) {
    if (!response.write(chunk)) await readerTakes();
  }
  response.end();
}
