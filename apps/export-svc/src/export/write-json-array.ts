import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { RecordChunk } from '@esd/proto/esd/dataset/v1/dataset';
import { ServiceError } from '@esd/service/errors';

const STALLED_READER_MS = 30_000;
const OPENING = Buffer.from('[\n');
const SEPARATOR = Buffer.from(',\n');

/**
 * Writes records (JSON text each) as one JSON array and ends the answer, as fast as the reader takes it. Throws, with
 * the answer not ended, when the reader takes nothing for 30 s or is gone (`signal`), or when there are not `count`
 * records in all: what is not whole never gets its closing bracket.
 */
export async function writeJsonArray(
  chunks: AsyncIterable<RecordChunk>,
  count: number,
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
      throw new ServiceError('UNAVAILABLE', `The reader took nothing for ${STALLED_READER_MS / 1000} s.`, cause);
    } finally {
      clearTimeout(timer);
    }
  };
  let written = 0;
  for await (const { recordsJson } of chunks) {
    const parts: Buffer[] = [];
    for (const record of recordsJson) parts.push(written++ === 0 ? OPENING : SEPARATOR, record);
    if (!response.write(Buffer.concat(parts))) await readerTakes();
  }
  if (written !== count) throw new Error(`the scan gave ${written} of ${count} records`);
  response.end(written === 0 ? '[]\n' : '\n]\n');
}
