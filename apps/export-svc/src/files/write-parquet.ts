import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FileHash, hashFile } from '@esd/object-store/file-hash';
import type { FileContents, StreamedContents } from './file-contents.ts';
import { type Table, tableOf } from './table.ts';

const SQL_TYPES = { integer: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN', text: 'VARCHAR' } as const;

/**
 * Writes the columns of a table as Parquet to `path`: numbers DOUBLE, ids BIGINT, yes and no BOOLEAN, the rest VARCHAR.
 * What is absent is null. The same contents give the same bytes.
 */
export async function writeParquet(contents: FileContents, path: string): Promise<FileHash> {
  const table = tableOf(contents);
  // Loaded where it is used: it takes time and memory.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const lines = `${path}.jsonl`;
  try {
    await pipeline(Readable.from(linesOf(table, contents.chunks)), createWriteStream(lines));
    // One thread, so that rows keep their order and row groups their bounds.
    const database = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '256MB' });
    try {
      const connection = await database.connect();
      const columns = [...table.columns].map(([column, type]) => `${quoted(column)}: '${SQL_TYPES[type]}'`).join(', ');
      await connection.run(
        `copy (select * from read_json(${quoted(lines)}, format = 'newline_delimited', columns = {${columns}},
           maximum_object_size = 4194304))
         to ${quoted(path)} (format parquet, compression zstd, row_group_size 20000)`,
      );
      connection.closeSync();
    } finally {
      database.closeSync();
    }
    // DuckDB writes the file itself, so that it cannot be hashed on its way.
    return await hashFile(path);
  } finally {
    await rm(lines, { force: true });
  }
}

async function* linesOf({ rowOf }: Table, chunks: StreamedContents['chunks']): AsyncGenerator<Buffer> {
  for await (const { recordsJson } of chunks) {
    const lines = recordsJson.map((json) => `${JSON.stringify(rowOf(json))}\n`);
    yield Buffer.from(lines.join(''));
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
