import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipArchive } from 'archiver';
import { csvField } from './csv.ts';
import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import type { FileHash } from '@esd/object-store/file-hash';
import { aboutRows } from './about.ts';
import type { FileContents } from './file-contents.ts';
import { createHashedFile } from './hashed-file.ts';
import { imagePath, imagesOf, type OpenImage, type RecordImage } from './record-images.ts';

const MANIFEST_COLUMNS = ['record_id', 'image_id', 'file', 'image_type', 'image_definition'];

/**
 * Writes the images of the records as a zip to `path`: a folder for each record, `manifest.csv` and `README.txt`. The same
 * contents give the same bytes.
 */
export async function writeZip({ about, chunks }: FileContents, path: string, openImage: OpenImage): Promise<FileHash> {
  const list = `${path}.images.jsonl`;
  const ended = new AbortController();
  try {
    // All records first: the scan must not wait for the images.
    await pipeline(Readable.from(imageLines(chunks)), createWriteStream(list));
    const archive = new ZipArchive({ zlib: { level: 9 } });
    const file = createHashedFile(path);
    const written = pipeline(archive, file.stream);
    // It is awaited below.
    written.catch(() => {
      ended.abort();
    });
    const add = async (source: Readable | string, name: string, store = false): Promise<void> => {
      const added = once(archive, 'entry', { signal: ended.signal });
      // An error listener here: one that fails between two entries would end the process.
      if (typeof source !== 'string') source.once('error', (error) => archive.destroy(error));
      archive.append(source, { name, date: about.date, store });
      await added;
    };
    try {
      await add(readMe(about), 'README.txt');
      await add(Readable.from(manifest(list)), 'manifest.csv');
      // PNG is compressed already.
      for await (const image of readImages(list)) {
        await add(await openImage(image.imageId, ended.signal), imagePath(image), true);
      }
      await archive.finalize();
    } catch (error) {
      archive.destroy();
      await written.catch((cause: unknown) => {
        throw ended.signal.aborted && error instanceof Error && error.name === 'AbortError' ? cause : error;
      });
    }
    await written;
    return await file.written();
  } finally {
    ended.abort();
    await rm(list, { force: true });
  }
}

function readMe(about: FileContents['about']): string {
  return [
    `Images of ${about.facts.title}`,
    '',
    'images/<record id>/<image id>.png   the images',
    'manifest.csv                        a line for each image: its record, its file, what it shows',
    '',
    ...aboutRows(about).map(([name, text]) => `${name}: ${text}`),
    '',
  ].join('\r\n');
}

async function* imageLines(chunks: FileContents['chunks']): AsyncGenerator<string> {
  for await (const { recordsJson } of chunks) {
    for (const json of recordsJson) {
      const { recordId, data } = parsePublicRecord(Buffer.from(json).toString());
      for (const image of imagesOf(recordId, data.fiberImages)) yield `${JSON.stringify(image)}\n`;
    }
  }
}

async function* readImages(list: string): AsyncGenerator<RecordImage> {
  for await (const line of createInterface({ input: createReadStream(list), crlfDelay: Infinity })) {
    // Written by imageLines a moment ago.
    yield JSON.parse(line) as RecordImage;
  }
}

async function* manifest(list: string): AsyncGenerator<string> {
  yield lineOf(MANIFEST_COLUMNS);
  for await (const image of readImages(list)) {
    const { recordId, imageId, imageType, imageDefinition } = image;
    const definition = imageDefinition === undefined ? '' : JSON.stringify(imageDefinition);
    yield lineOf([String(recordId), imageId, imagePath(image), imageType ?? '', definition]);
  }
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(csvField).join(',')}\r\n`;
}
