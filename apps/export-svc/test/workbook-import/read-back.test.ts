import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { flatten, flattenedColumns, type FlatRow, sheetColumns, unflatten } from '@esd/record/flatten/flatten';
import { csvLine } from '@esd/record/sheet/csv-line';
import { runs } from '@esd/testing/property-runs';
import { complete, recordOf } from '../../../../libs/record/test/generated-records.ts';
import { references } from '../../../../libs/record/test/seed-lists.ts';
import type { About } from '../../src/files/file-contents.ts';
import { writeFile as writeExport } from '../../src/files/writers.ts';
import { parseFile, type ParsedForm } from '../../src/workbook-import/parse-file.ts';
import { facts, openImage } from '../dataset-servers.ts';

const folder = await mkdtemp(join(tmpdir(), 'esd-read-back-'));
afterAll(() => rm(folder, { recursive: true }));

const about: About = {
  facts,
  root: 'https://esd.example.org',
  name: 'v1.0.0',
  kind: 'version',
  date: new Date(0),
  revision: 1,
  digest: 'd',
  count: 0,
  filter: undefined,
  doi: undefined,
  license: 'CC-BY-4.0',
};

/** Reads a sheet that the service wrote. */
async function readSheet(path: string, form: ParsedForm): Promise<unknown> {
  const outcome = await parseFile(path, references, form);
  if (outcome.kind !== 'records') throw new Error(JSON.stringify(outcome));
  return JSON.parse(Buffer.from(outcome.json).toString());
}

const submitted = (row: FlatRow): ExperimentData => recordOf(unflatten(row).item).data;

async function readParquet(path: string): Promise<unknown> {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const columns = flattenedColumns.map((name) => `"${name}"`).join(', ');
  const rows = (await connection.runAndReadAll(`select ${columns} from '${path}'`)).getRowsJson();
  connection.closeSync();
  database.closeSync();
  const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
  return rows.map((values) => {
    const row = Object.fromEntries(
      flattenedColumns.flatMap((name, at) => {
        const value = cell.parse(values[at]);
        return value === null ? [] : [[name, value] as const];
      }),
    );
    return { recordId: Number(row['experiment_id']), ...submitted(row) };
  });
}

/** The readers of each format that has the records of the dataset. */
const READERS: Readonly<Record<'csv' | 'xlsx' | 'json' | 'parquet', (path: string) => Promise<unknown>>> = {
  csv: (path) => readSheet(path, 'records'),
  xlsx: (path) => readSheet(path, 'records'),
  json: async (path) => {
    const all = z.array(z.looseObject({ recordId: z.number() })).parse(JSON.parse(await readFile(path, 'utf8')));
    // The normalized values and the facts of the paper are those of the service.
    return all.map(({ recordId, normalized: _, paper: __, ...data }) => ({ recordId, ...recordOf(data).data }));
  },
  parquet: readParquet,
};

/** Members that were added after the first software release. */
const newMembers = fc.record({
  remarks: fc.constantFrom('dried at 40 °C; "vacuum"', '=1+1', "'quoted'", 'two\nlines', '-'),
  count: fc.integer({ min: 1, max: 1_000 }),
  weight: fc.double({ min: 0.001, max: 1e7, noNaN: true }),
  unit: fc.constantFrom('kDa', 'g/mol'),
});
const records = fc.array(
  fc.tuple(complete, newMembers).map(([{ data }, { remarks, count, weight, unit }]) =>
    submitted(
      flatten(1, {
        ...data,
        researchMetadata: { ...data.researchMetadata, remarks },
        polymerProperty: {
          polymerComponents: [{ polymerName: 'PVA', molecularWeight: weight, molecularWeightUnit: unit }],
        },
        fiberProperty: {
          ...data.fiberProperty,
          fiberDiameter: 240,
          fiberDiameterUnit: 'nm',
          fiberDiameterCount: count,
        },
      }),
    ),
  ),
  { minLength: 1, maxLength: 5 },
);

test.each(['csv', 'xlsx', 'json', 'parquet'] as const)(
  '%s: reading what was written gives the records',
  async (format) => {
    const path = join(folder, `records.${format}`);
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        const expected = all.map((data, at) => ({ recordId: at + 1, ...data }));
        const chunks = async function* () {
          const recordsJson = expected.map((record) =>
            Buffer.from(JSON.stringify({ ...record, normalized: {}, paper: {} })),
          );
          yield await Promise.resolve({ recordsJson });
        };
        await writeExport(format, { about, chunks: chunks() }, path, openImage);
        expect(await READERS[format](path)).toEqual(expected);
        expect(
          all.every(
            ({ researchMetadata, fiberProperty }) => researchMetadata?.remarks && fiberProperty?.fiberDiameterCount,
          ),
        ).toBe(true);
      }),
      { numRuns: runs(format === 'csv' ? 60 : 12) },
    );
  },
);

test('a sheet of all columns has the sample id, which no file of the dataset has', async () => {
  const path = join(folder, 'own.csv');
  const data = {
    ...recordOf({ researchMetadata: { sampleId: 'PVA-07', remarks: 'dry' }, processParameter: { voltage: 12 } }).data,
  };
  const row: FlatRow = { ...flatten(7, data), sample_id: data.researchMetadata?.sampleId };
  expect(flatten(7, data)).not.toHaveProperty('sample_id');
  await writeFile(path, csvLine(sheetColumns) + csvLine(sheetColumns.map((column) => row[column])));
  expect(await readSheet(path, 'records')).toEqual([{ recordId: 7, ...data }]);
});
