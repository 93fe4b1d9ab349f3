import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ExportFormat, formats } from '../export/formats.ts';
import type { FileContents } from './file-contents.ts';
import type { OpenImage } from './record-images.ts';

/** Part of the key of every built file: to be raised when the same contents give other bytes than before. */
export const BUILDER = 2;

/** Writes a file of a format to `path`. Throws when the records are not as many as the contents say. */
export async function writeFile(
  format: ExportFormat,
  { about, chunks }: FileContents,
  path: string,
  openImage: OpenImage,
): Promise<void> {
  const contents = { about, chunks: counted(chunks, about.count) };
  switch (format) {
    case 'json':
    case 'csv':
      return pipeline(
        Readable.from(formats[format].parts(contents.chunks, about.count), { objectMode: false }),
        createWriteStream(path),
      );
    case 'xlsx': {
      // exceljs and the others take long to load: where they are used.
      const { writeXlsx } = await import('./write-xlsx.ts');
      return writeXlsx(contents, path);
    }
    case 'zip': {
      const { writeZip } = await import('./write-zip.ts');
      return writeZip(contents, path, openImage);
    }
    case 'parquet': {
      const { writeParquet } = await import('./write-parquet.ts');
      return writeParquet(contents, path);
    }
  }
}

async function* counted(chunks: FileContents['chunks'], count: number): FileContents['chunks'] {
  let records = 0;
  for await (const chunk of chunks) {
    records += chunk.recordsJson.length;
    yield chunk;
  }
  if (records !== count) throw new Error(`the scan gave ${records} of ${count} records`);
}
