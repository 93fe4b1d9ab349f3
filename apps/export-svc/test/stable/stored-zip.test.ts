import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl';
import { storedZip, type ZipPart } from '../../src/stable/stored-zip.ts';

/** The first bytes of a file; the rest of it is never read. */
type Content = Buffer;

/** A virtual archive, whose bytes are computed on demand. */
class Parts extends RandomAccessReader {
  readonly #parts: readonly ZipPart<Content>[];

  constructor(parts: readonly ZipPart<Content>[]) {
    super();
    this.#parts = parts;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const pieces: Buffer[] = [];
    let offset = 0;
    for (const part of this.#parts) {
      const [first, last] = [Math.max(start - offset, 0), Math.min(end - offset, part.bytes)];
      offset += part.bytes;
      if (first >= last) continue;
      const piece = Buffer.alloc(last - first);
      const content = 'header' in part ? part.header : part.content;
      if (first < content.length) content.copy(piece, 0, first);
      pieces.push(piece);
    }
    return Readable.from([Buffer.concat(pieces)], { objectMode: false });
  }
}

/** Returns the entries of an archive, and the first bytes of each. */
async function read(parts: readonly ZipPart<Content>[]): Promise<[Entry, string][]> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromRandomAccessReader(new Parts(parts), bytes, { lazyEntries: true, autoClose: false }, (error, opened) => {
      if (error) reject(error);
      else resolve(opened);
    });
  });
  const entries: Entry[] = [];
  await new Promise<void>((resolve, reject) => {
    zip.on('end', resolve).on('error', reject);
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
  const found: [Entry, string][] = [];
  for (const entry of entries) {
    const options = { start: 0, end: Math.min(4, entry.uncompressedSize), decompress: null, decrypt: null };
    const stream = await new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, options, (error, opened) => {
        if (error) reject(error);
        else resolve(opened);
      });
    });
    found.push([entry, (await buffer(stream)).toString()]);
  }
  return found;
}

const DATE = new Date('2026-03-04T05:06:08.000Z');

test('an independent reader can read a small archive and an archive beyond 4 GB', async () => {
  const five = 5 * 2 ** 30;
  for (const sizes of [
    [4, 0, 4],
    [4, five, 4, 2 ** 32 - 1, 4],
  ]) {
    const files = sizes.map((bytes, index) => {
      const content = Buffer.from(bytes === 0 ? '' : `<${index}>.`);
      return { name: `ordner/dätei-${index}`, bytes, crc32: crc32(content), content };
    });
    const entries = await read(storedZip(files, DATE));
    expect(entries.map(([entry, begins]) => [entry.fileName, entry.uncompressedSize, entry.crc32, begins])).toEqual(
      files.map(({ name, bytes, crc32: sum, content }) => [name, bytes, sum, content.toString()]),
    );
    expect(entries[0]?.[0].getLastModDate({ timezone: 'UTC' })).toEqual(DATE);
  }
});
