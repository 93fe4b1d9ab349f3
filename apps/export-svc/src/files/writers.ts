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

/** A part of the key of every built file. Raise it when a writer produces other bytes for the same contents. */
export const BUILDER = 2;

type WriteStored = (contents: FileContents, path: string, openImage: OpenImage) => Promise<FileHash>;
type WriteStreamed = (contents: StreamedContents) => AsyncIterable<Buffer>;

/** The writer of each format. Slow modules such as exceljs are loaded on demand. */
const writers: {
  readonly [Name in FileFormatName]: Name extends StreamedFormatName ? WriteStreamed : WriteStored;
} = {
  json: jsonChunks,
  csv: csvChunks,
  xlsx: async (contents, path) => (await import('./write-xlsx.ts')).writeXlsx(contents, path),
  parquet: async (contents, path) => (await import('./write-parquet.ts')).writeParquet(contents, path),
  zip: async (contents, path, openImage) => (await import('./write-zip.ts')).writeZip(contents, path, openImage),
};

/** Returns the form of the records that the writer of a format needs. */
export function scanForm(format: FileFormatName, form: RecordForm): RecordForm {
  // Parquet always contains the normalized values.
  const normalized = format === 'parquet' || form.normalized;
  return { ...form, normalized, paper: normalized && format !== 'json' };
}

/** Yields a file. The end of the file follows only after the last record. */
export function streamFile(format: StreamedFormatName, contents: StreamedContents): AsyncIterable<Buffer> {
  return writers[format](contents);
}

/** Writes a file to `path`. Throws the errors of the scan. */
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
