import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileHash } from '@esd/object-store/file-hash';
import { type FileFormatName, isStreamed, type StreamedFormatName } from '@esd/record/catalog/file-formats';
import type { FileContents, StreamedContents } from './file-contents.ts';
import { createHashedFile } from './hashed-file.ts';
import type { RecordForm } from './open-scan.ts';
import type { OpenImage } from './record-images.ts';
import { csvChunks } from './write-csv.ts';
import { jsonChunks } from './write-json.ts';

/** Part of the key of every built file: to be raised when the same contents give other bytes than before. */
export const BUILDER = 4;

/** Writes a file to `path`; the same contents give the same bytes. */
type WriteStored = (contents: FileContents, path: string, openImage: OpenImage) => Promise<FileHash>;
/** Gives the bytes of a file while the records come. */
type WriteStreamed = (contents: StreamedContents) => AsyncIterable<Buffer>;

/** The writer of each format of the registry. exceljs and the others take long to load: where they are used. */
const writers: {
  readonly [Name in FileFormatName]: Name extends StreamedFormatName ? WriteStreamed : WriteStored;
} = {
  json: jsonChunks,
  csv: csvChunks,
  xlsx: async (contents, path) => (await import('./write-xlsx.ts')).writeXlsx(contents, path),
  parquet: async (contents, path) => (await import('./write-parquet.ts')).writeParquet(contents, path),
  zip: async (contents, path, openImage) => (await import('./write-zip.ts')).writeZip(contents, path, openImage),
};

/** How the records have to come for a file of a format whose columns are asked for like this. */
export function scanForm(format: FileFormatName, form: RecordForm): RecordForm {
  // Parquet always has the normalized values.
  return format === 'parquet' ? { ...form, normalized: true } : form;
}

/** The bytes of a streamed format, of which none comes after the last record that is there. */
export function streamFile(format: StreamedFormatName, contents: StreamedContents): AsyncIterable<Buffer> {
  return writers[format](contents);
}

/** Writes a file of any format to `path`, hashed on its way. Throws what the records throw. */
export async function writeFile(
  format: FileFormatName,
  contents: FileContents,
  path: string,
  openImage: OpenImage,
): Promise<FileHash> {
  if (!isStreamed(format)) return writers[format](contents, path, openImage);
  const file = createHashedFile(path);
  await pipeline(Readable.from(writers[format](contents), { objectMode: false }), file.stream);
  return file.written();
}
