import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FileHash, hashFile } from '@esd/object-store/file-hash';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { listCells, parquetColumns } from '@esd/record/flatten/file-columns';
import { flatten } from '@esd/record/flatten/flatten';
import { normalizedCells } from '@esd/record/flatten/normalized-columns';
import { addressOf, creatorsText } from './about.ts';
import type { About, FileContents, StreamedContents } from './file-contents.ts';

const SQL_TYPES = {
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
  'list<string>': 'VARCHAR[]',
} as const;

/** The rows of a row group. Smaller groups have more selective statistics; larger groups need fewer HTTP requests. */
const ROW_GROUP_ROWS = 20_000;

/**
 * Writes records as Parquet to `path`, with flattened columns, normalized numbers as DOUBLE, and names and labels as
 * LIST<VARCHAR>. Absent values are null. The key-value metadata contain the source and the units. The same records
 * produce the same bytes.
 */
export async function writeParquet({ about, chunks }: FileContents, path: string): Promise<FileHash> {
  // Loaded on demand, because it takes time and memory.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const lines = `${path}.jsonl`;
  try {
    await pipeline(Readable.from(linesOf(chunks)), createWriteStream(lines));
    // With one thread, rows remain in order and row groups have fixed sizes.
    const database = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '256MB' });
    try {
      const connection = await database.connect();
      const columns = parquetColumns.map(({ name, type }) => `${quoted(name)}: '${SQL_TYPES[type]}'`).join(', ');
      const metadata = metadataOf(about).map(([name, text]) => `${quoted(name)}: ${quoted(text)}`);
      await connection.run(
        `copy (select * from read_json(${quoted(lines)}, format = 'newline_delimited', columns = {${columns}},
           maximum_object_size = 4194304))
         to ${quoted(path)} (format parquet, compression snappy, row_group_size ${ROW_GROUP_ROWS},
           kv_metadata {${metadata.join(', ')}})`,
      );
      connection.closeSync();
    } finally {
      database.closeSync();
    }
    // DuckDB writes the file itself, so the hash is computed afterwards.
    return await hashFile(path);
  } finally {
    await rm(lines, { force: true });
  }
}

/** Returns the key-value metadata. `units` is a JSON object of units by column. */
function metadataOf(about: About): [name: string, text: string][] {
  const { facts, kind, name, revision, digest, date, count, filter, once, license } = about;
  const units = parquetColumns.flatMap((column) => (column.unit === null ? [] : [[column.name, column.unit] as const]));
  return [
    ['title', facts.title],
    ['creators', creatorsText(about)],
    [kind === 'latest' ? 'version' : kind, name],
    ['url', addressOf(about)],
    ['dataset_revision', String(revision)],
    ...(digest === undefined ? [] : [['digest', digest] as [string, string]]),
    ['date', date.toISOString()],
    ['records', String(count)],
    ...(filter === undefined ? [] : [['filter', filter] as [string, string]]),
    ...(once ? [['repeats', 'once'] as [string, string]] : []),
    ['license', license],
    ['units', JSON.stringify(Object.fromEntries(units))],
  ];
}

async function* linesOf(chunks: StreamedContents['chunks']): AsyncGenerator<Buffer> {
  for await (const { recordsJson } of chunks) {
    const lines = recordsJson.map((json) => {
      const { recordId, data } = parsePublicRecord(Buffer.from(json).toString());
      return `${JSON.stringify({ ...flatten(recordId, data), ...normalizedCells(data), ...listCells(data) })}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
