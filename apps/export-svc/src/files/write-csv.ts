import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import { csvHeader, csvLine } from './csv.ts';
import type { FileContents } from './file-contents.ts';

/** The flattened columns, RFC 4180. */
export async function* csvChunks(chunks: FileContents['chunks']): AsyncGenerator<Buffer> {
  yield Buffer.from(csvHeader());
  for await (const { recordsJson } of chunks) {
    const lines = recordsJson.map((json) => {
      const { recordId, data } = parsePublicRecord(Buffer.from(json).toString());
      return csvLine(recordId, data);
    });
    yield Buffer.from(lines.join(''));
  }
}
