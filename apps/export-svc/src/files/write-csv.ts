import { csvLine } from '@esd/record/sheet/csv-line';
import type { StreamedContents } from './file-contents.ts';
import { tableOf } from './table.ts';

export async function* csvChunks(contents: StreamedContents): AsyncGenerator<Buffer> {
  const { columns: names, rowOf } = tableOf(contents);
  yield Buffer.from(csvLine(names));
  for await (const { recordsJson } of contents.chunks) {
    const lines = recordsJson.map((json) => {
      const row = rowOf(json);
      return csvLine(names.map((name) => row[name]));
    });
    yield Buffer.from(lines.join(''));
  }
}
