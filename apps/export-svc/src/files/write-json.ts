import type { StreamedContents } from './file-contents.ts';

const OPENING = Buffer.from('[\n');
const SEPARATOR = Buffer.from(',\n');

/** Yields a JSON array with one record per line. The closing bracket follows only after the last record. */
export async function* jsonChunks({ chunks }: StreamedContents): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const { recordsJson } of chunks) {
    const pieces: Uint8Array[] = [];
    for (const record of recordsJson) {
      pieces.push(isFirst ? OPENING : SEPARATOR, record);
      isFirst = false;
    }
    yield Buffer.concat(pieces);
  }
  yield Buffer.from(isFirst ? '[]\n' : '\n]\n');
}
