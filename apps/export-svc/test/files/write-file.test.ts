import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import exceljs from 'exceljs';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { z } from 'zod';
import { flattenedColumns } from '@esd/record/flatten/flatten';
import { normalizedColumns } from '@esd/record/flatten/normalized-columns';
import { type FileFormatName, fileFormatNames } from '@esd/record/catalog/file-formats';
import { columnLetters } from '@esd/record/sheet/column-letters';
import { REAL_TIMERS } from '@esd/testing/real-timers';
import type { About } from '../../src/files/file-contents.ts';
import type { OpenImage } from '../../src/files/record-images.ts';
import { writeFile } from '../../src/files/writers.ts';
import { writeXlsx } from '../../src/files/write-xlsx.ts';
import { facts, openImage } from '../dataset-servers.ts';

/** Nothing listens on this port, because no record of these tests has an image. */
const RECORDS = [
  {
    recordId: 1,
    researchMetadata: { publicationTitle: '=HYPERLINK("x")', doi: '10.1/a' },
    polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }, { polymerName: 'PEO' }] },
    processParameter: {
      voltage: 15.25,
      voltageUnit: 'kV',
      instability: [
        { category: 'jet', label: 'beads' },
        { category: 'jet', label: 'drops' },
      ],
    },
    ambientParameter: { temperature: -3 },
  },
  {
    recordId: 2,
    fiberProperty: { isFormationStable: true },
    researchMetadata: { publicationTitle: 'µ & <ö> "\u0007' },
  },
  { recordId: 40 },
];

const about: About = {
  facts,
  root: 'https://esd.example.org',
  name: 'v1.2.0',
  kind: 'version',
  date: new Date('2026-03-04T05:06:08.000Z'),
  revision: 7,
  digest: 'd1',
  count: 3,
  filter: '{"polymer":"PVA"}',
  doi: '10.5281/zenodo.1',
  license: 'CC-BY-4.0',
};

const folder = await mkdtemp(join(tmpdir(), 'esd-write-file-'));
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function write(
  format: FileFormatName,
  { records = RECORDS, delayMs = 0, open = openImage }: { records?: object[]; delayMs?: number; open?: OpenImage } = {},
): Promise<Buffer> {
  const path = join(folder, `${++files}.${format}`);
  const chunks = async function* () {
    for (const record of records) {
      await sleep(delayMs);
      yield { recordsJson: [Buffer.from(JSON.stringify({ ...record, normalized: {}, paper: {} }))] };
    }
  };
  await writeFile(format, { about: { ...about, count: records.length }, chunks: chunks() }, path, open);
  return readFile(path);
}

async function unzip(bytes: Buffer): Promise<Map<string, { text: string; date: Date }>> {
  const entries = new Map<string, { text: string; date: Date }>();
  const archive = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => {
      if (error) reject(error);
      else resolve(opened);
    });
  });
  await new Promise<void>((resolve, reject) => {
    archive.on('end', resolve).on('error', reject);
    archive.on('entry', (entry: Entry) => {
      archive.openReadStream(entry, (error, stream) => {
        if (error) {
          reject(error);
          return;
        }
        void Readable.from(stream)
          .toArray()
          .then((parts: Buffer[]) => {
            entries.set(entry.fileName, { text: Buffer.concat(parts).toString(), date: entry.getLastModDate() });
            archive.readEntry();
          });
      });
    });
    archive.readEntry();
  });
  return entries;
}

test('the same contents produce the same bytes in every format, at any time and pace', async () => {
  const first = await Promise.all(fileFormatNames.map((format) => write(format)));
  // Only the clock is fake.
  jest.useFakeTimers({ now: Date.now() + 86_400_000, doNotFake: REAL_TIMERS });
  const again = await Promise.all(fileFormatNames.map((format) => write(format, { delayMs: 20 }))).finally(() => {
    jest.useRealTimers();
  });
  const isSame = fileFormatNames.map((format, index) => [format, first[index]?.equals(again[index] ?? Buffer.of())]);
  expect(isSame).toEqual(fileFormatNames.map((format) => [format, true]));
});

test.each(fileFormatNames)('%s: an interrupted scan leaves neither a file nor a temporary file', async (format) => {
  const path = join(folder, `short.${format}`);
  const chunks = async function* () {
    yield await Promise.resolve({ recordsJson: [Buffer.from('{"recordId":1,"normalized":{},"paper":{}}')] });
    throw new Error('the scan was interrupted');
  };
  const written = writeFile(format, { about, chunks: chunks() }, path, openImage);
  await expect(written).rejects.toThrow('the scan was interrupted');
  expect((await readdir(folder)).filter((name) => name.startsWith('short') && name !== `short.${format}`)).toEqual([]);
  await rm(path, { force: true });
});

describe('xlsx', () => {
  test('has the dimension of each sheet, for readers that do not read ahead', async () => {
    const last = columnLetters(flattenedColumns.length - 1);
    const dimensionsIn = async (file: Buffer) => {
      const sheets = [...(await unzip(file))].filter(([name]) => name.startsWith('xl/worksheets/'));
      return sheets.map(([, { text }]) => /<dimension ref="([^"]*)"\/><sheet(?:Views|FormatPr)/.exec(text)?.[1]);
    };
    const [data, ofAbout] = await dimensionsIn(await write('xlsx'));
    expect([data, ofAbout]).toEqual([`A1:${last}4`, expect.stringMatching(/^A1:B\d+$/)]);
    expect((await dimensionsIn(await write('xlsx', { records: [] })))[0]).toBe(`A1:${last}1`);
    const path = join(folder, 'three-sheets.xlsx');
    const chunks = async function* () {
      yield await Promise.resolve({ recordsJson: RECORDS.map((record) => Buffer.from(JSON.stringify(record))) });
    };
    await writeXlsx({ about, chunks: chunks() }, path, 3);
    expect((await dimensionsIn(await readFile(path))).slice(0, 2)).toEqual([`A1:${last}3`, `A1:${last}2`]);
  });

  test('has the columns, one row per record, typed cells and no formulas', async () => {
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load(new Uint8Array(await write('xlsx')).buffer);
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(['Data', 'About']);
    const sheet = workbook.getWorksheet('Data');
    const cell = (row: number, column: string) => sheet?.getCell(row, flattenedColumns.indexOf(column) + 1).value;
    expect(flattenedColumns.map((column) => cell(1, column))).toEqual(flattenedColumns);
    expect(sheet?.views).toMatchObject([{ state: 'frozen', ySplit: 1 }]);
    expect(sheet?.getCell(1, 1).font.bold).toBe(true);
    expect(sheet?.rowCount).toBe(4);
    expect([cell(2, 'voltage'), cell(2, 'temperature'), cell(2, 'experiment_id')]).toEqual([15.25, -3, 1]);
    expect([cell(2, 'is_polymer_blend'), cell(3, 'was_formation_stable')]).toEqual([true, true]);
    expect([cell(2, 'publication_title'), cell(2, 'voltage_unit')]).toEqual(['=HYPERLINK("x")', 'kV']);
    expect(cell(3, 'publication_title')).toBe('µ & <ö> "');
    expect(cell(4, 'voltage')).toBeNull();
  });

  test('contains its metadata', async () => {
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load(new Uint8Array(await write('xlsx')).buffer);
    const rows = new Map<unknown, unknown>();
    workbook.getWorksheet('About')?.eachRow((row) => rows.set(row.getCell(1).value, row.getCell(2).value));
    expect(rows.get('Version')).toBe('v1.2.0');
    expect(rows.get('Date')).toBe('2026-03-04T05:06:08.000Z');
    expect(rows.get('License')).toBe('CC-BY-4.0');
    expect(rows.get('Filter')).toBe('{"polymer":"PVA"}');
    expect(rows.get('How to cite')).toMatch(
      /^The authors of electrospinning-data\.org\. \(2026\).*\(Version v1\.2\.0\).*https:\/\/doi\.org\/10\.5281\/zenodo\.1 /,
    );
    expect(rows.get('voltage')).toMatch(/^kV /);
    expect(workbook.created).toEqual(about.date);
  });

  test('marks a text that is truncated to the maximum length of a cell', async () => {
    const long = { recordId: 1, researchMetadata: { publicationTitle: 'x'.repeat(40_000) } };
    const workbook = new exceljs.Workbook();
    const bytes = await write('xlsx', { records: [long] });
    await workbook.xlsx.load(new Uint8Array(bytes).buffer);
    const value = workbook.getWorksheet('Data')?.getCell(2, flattenedColumns.indexOf('publication_title') + 1).value;
    expect(value).toHaveLength(32_767);
    expect(value).toMatch(/x … \(truncated .* json export .*\)$/);
  });
});

test('parquet has typed columns, lists, normalized values and metadata', async () => {
  const path = join(folder, 'typed.parquet');
  const [first, ...others] = RECORDS.map((record) => ({ ...record, normalized: {}, paper: {} }));
  const normalized = { voltage: 15.25, fiberDiameter: 310 };
  const records = [{ ...first, normalized, paper: { year: 2014, journal: 'Polymer' } }, ...others];
  const chunks = async function* () {
    yield await Promise.resolve({ recordsJson: records.map((record) => Buffer.from(JSON.stringify(record))) });
  };
  await writeFile('parquet', { about, chunks: chunks() }, path, openImage);
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  const types = new Map((await read(`describe select * from '${path}'`)).map((row) => [row[0], row[1]]));
  const lists = ['polymers', 'solvents', 'morphologies', 'instabilities'];
  // Columns of later software releases follow all earlier ones.
  const [earlier, later] = [normalizedColumns.slice(0, -5), normalizedColumns.slice(-5)];
  expect([...types.keys()]).toEqual([...flattenedColumns, ...earlier, ...lists, ...later]);
  expect(await read(`select publication_year, journal from '${path}' limit 2`)).toEqual([
    ['2014', 'Polymer'],
    [null, null],
  ]);
  const expected = {
    experiment_id: 'BIGINT',
    voltage: 'DOUBLE',
    is_polymer_blend: 'BOOLEAN',
    voltage_unit: 'VARCHAR',
    fiber_diameter_nm: 'DOUBLE',
    ...Object.fromEntries(lists.map((name) => [name, 'VARCHAR[]'])),
  };
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, types.get(name)]))).toEqual(expected);
  expect(
    await read(
      `select experiment_id, voltage, temperature, "polymer(s)", publication_title, was_formation_stable,
         fiber_diameter_nm, polymers, instabilities from '${path}'`,
    ),
  ).toEqual([
    ['1', 15.25, -3, 'PVA-PEO', '=HYPERLINK("x")', null, 310, ['PVA', 'PEO'], ['beads', 'drops']],
    ['2', null, null, null, 'µ & <ö> "\u0007', true, null, null, null],
    ['40', null, null, null, null, null, null, null, null],
  ]);
  // Every reader has Snappy.
  expect(await read(`select distinct compression from parquet_metadata('${path}')`)).toEqual([['SNAPPY']]);
  const metadata = await read(`select decode(key), decode(value) from parquet_kv_metadata('${path}')`);
  const { units, ...rest } = Object.fromEntries(z.array(z.tuple([z.string(), z.string()])).parse(metadata));
  expect(rest).toEqual({
    title: facts.title,
    creators: 'The authors of electrospinning-data.org',
    version: 'v1.2.0',
    url: 'https://esd.example.org/release/v1.2.0',
    dataset_revision: '7',
    digest: 'd1',
    date: '2026-03-04T05:06:08.000Z',
    records: '3',
    filter: '{"polymer":"PVA"}',
    license: 'CC-BY-4.0',
  });
  expect(JSON.parse(units ?? '')).toMatchObject({ fiber_diameter_nm: 'nm', voltage_kv: 'kV' });
  connection.closeSync();
  database.closeSync();
});

/** Returns the root entity of the RO-Crate metadata in an archive. */
function crateOf(entries: Map<string, { text: string }>): unknown {
  const { '@graph': graph } = z
    .object({ '@graph': z.array(z.looseObject({ '@id': z.string() })) })
    .parse(JSON.parse(entries.get('ro-crate-metadata.json')?.text ?? ''));
  return graph.find((entity) => entity['@id'] === './');
}

describe('zip', () => {
  const withImages = [
    {
      recordId: 3,
      fiberImages: [{ imageId: 'a', imageType: 'SEM, "x"', imageDefinition: { pixelSize: 5 } }, { imageId: 'b' }],
    },
    { recordId: 4 },
    { recordId: 12, fiberImages: [{ imageId: 'c' }] },
  ];

  test('contains only its manifest and metadata if there are no images', async () => {
    const entries = await unzip(await write('zip'));
    expect([...entries.keys()]).toEqual(['README.txt', 'ro-crate-metadata.json', 'manifest.csv']);
    expect(crateOf(entries)).toMatchObject({ hasPart: [{ '@id': 'manifest.csv' }, { '@id': 'README.txt' }] });
    expect(entries.get('manifest.csv')?.text).toBe('record_id,image_id,file,image_type,image_definition\r\n');
    expect(entries.get('README.txt')?.text).toMatch(/Version: v1\.2\.0\r\n/);
  });

  test('contains the images in one folder per record, and opens one image at a time', async () => {
    let atOnce = 0;
    const open: OpenImage = async (imageId) => {
      expect(++atOnce).toBe(1);
      await sleep(5);
      return Readable.from([Buffer.from(`image ${imageId}`)]).on('end', () => atOnce--);
    };
    const entries = await unzip(await write('zip', { records: withImages, open }));
    expect([...entries.keys()]).toEqual([
      'README.txt',
      'ro-crate-metadata.json',
      'manifest.csv',
      'images/3/a.png',
      'images/3/b.png',
      'images/12/c.png',
    ]);
    expect(crateOf(entries)).toMatchObject({
      name: `Images of ${facts.title}`,
      version: 'v1.2.0',
      url: 'https://esd.example.org/release/v1.2.0',
      hasPart: expect.arrayContaining([{ '@id': 'images/' }]),
    });
    expect(entries.get('images/12/c.png')).toEqual({ text: 'image c', date: expect.anything() });
    expect(entries.get('manifest.csv')?.text.split('\r\n').slice(1)).toEqual([
      '3,a,images/3/a.png,"SEM, ""x""","{""pixelSize"":5}"',
      '3,b,images/3/b.png,,',
      '12,c,images/12/c.png,,',
      '',
    ]);
  });

  test.each<[string, OpenImage]>([
    ['cannot be opened', () => Promise.reject(new Error('no such image'))],
    [
      'breaks off',
      () =>
        Promise.resolve(
          Readable.from(
            (async function* () {
              yield await Promise.resolve(Buffer.from('half'));
              throw new Error('no such image');
            })(),
          ),
        ),
    ],
  ])('fails when an image %s', async (_, open) => {
    await expect(write('zip', { records: withImages, open })).rejects.toThrow('no such image');
  });
});

test('xlsx: records beyond the limit of a sheet continue in the next one, with its own header', async () => {
  const path = join(folder, 'sheets.xlsx');
  const recordsJson = [1, 2, 3, 4, 5].map((recordId) => Buffer.from(JSON.stringify({ recordId })));
  const chunks = async function* () {
    yield await Promise.resolve({ recordsJson });
  };
  await writeXlsx({ about: { ...about, count: 5 }, chunks: chunks() }, path, 3);
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.readFile(path);
  const column = 1 + flattenedColumns.indexOf('experiment_id');
  const ids = workbook.worksheets.map((sheet) => [sheet.name, sheet.getColumn(column).values.slice(1)]);
  expect(ids.slice(0, -1)).toEqual([
    ['Data', ['experiment_id', 1, 2]],
    ['Data 2', ['experiment_id', 3, 4]],
    ['Data 3', ['experiment_id', 5]],
  ]);
  expect(workbook.worksheets.at(-1)?.name).toBe('About');
});
