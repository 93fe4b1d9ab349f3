import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipArchive } from 'archiver';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import type { FileHash } from '@esd/object-store/file-hash';
import { normalizeDoi } from '@esd/record/metadata/doi';
import { roCrate } from '@esd/record/metadata/formats/ro-crate';
import { csvField } from '@esd/record/sheet/csv-line';
import { aboutRows, addressOf } from './about.ts';
import type { FileContents } from './file-contents.ts';
import { createHashedFile } from './hashed-file.ts';
import { imagePath, imagesOf, type OpenImage, type RecordImage } from './record-images.ts';

const MANIFEST_COLUMNS = ['record_id', 'image_id', 'file', 'image_type', 'image_definition'];

/** Writes the images of the records to `path` as an RO-Crate zip. The same contents produce the same bytes. */
export async function writeZip({ about, chunks }: FileContents, path: string, openImage: OpenImage): Promise<FileHash> {
  const list = `${path}.images.jsonl`;
  const ended = new AbortController();
  try {
    // All records are read first, because the scan must not wait for the images.
    await pipeline(Readable.from(imageLines(chunks)), createWriteStream(list));
    const archive = new ZipArchive({ zlib: { level: 9 } });
    const file = createHashedFile(path);
    const written = pipeline(archive, file.stream);
    written.catch(() => {
      ended.abort();
    });
    const add = async (source: Readable | string, name: string, store = false): Promise<void> => {
      const added = once(archive, 'entry', { signal: ended.signal });
      // Without this listener, a stream that fails between two entries would end the process.
      if (typeof source !== 'string') source.once('error', (error) => archive.destroy(error));
      archive.append(source, { name, date: about.date, store });
      await added;
    };
    try {
      const { size } = await stat(list);
      await add(readMe(about), 'README.txt');
      await add(crate(about, size > 0), 'ro-crate-metadata.json');
      await add(Readable.from(manifest(list)), 'manifest.csv');
      // PNG is already compressed.
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
    'manifest.csv                        one line per image: record, file, type and definition',
    'ro-crate-metadata.json              machine-readable metadata of this archive (RO-Crate)',
    '',
    ...aboutRows(about).map(([name, text]) => `${name}: ${text}`),
    '',
  ].join('\r\n');
}

/** Returns the RO-Crate metadata, with the facts at the time of the build. */
function crate(about: FileContents['about'], hasImages: boolean): string {
  const { facts, root, name, kind, date, revision, count, doi, license } = about;
  return roCrate(
    {
      kind: 'dataset',
      facts,
      title: `Images of ${facts.title}`,
      description: facts.description,
      root,
      url: addressOf(about),
      version: kind === 'version' ? name : undefined,
      doi: doi === undefined ? undefined : normalizeDoi(doi),
      license,
      issued: date,
      revision,
      recordCount: count,
      papers: [],
      variables: [],
      files: [],
    },
    {
      others: [
        { path: 'manifest.csv', name: 'List of the images', mediaType: 'text/csv' },
        { path: 'README.txt', name: 'Description of the archive', mediaType: 'text/plain' },
        ...(hasImages ? [{ path: 'images/', name: 'Images, one folder per record' }] : []),
      ],
    },
  );
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
