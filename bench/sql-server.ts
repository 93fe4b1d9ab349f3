import { fork } from 'node:child_process';
import express from 'express';
import pg from 'pg';
import { z } from 'zod';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { publicRecordJson } from '@esd/record/catalog/public-record';
import { featureValues } from '@esd/record/filter/feature-values';
import { features } from '@esd/record/filter/filter-keys';
import type { References } from '@esd/record/reference/reference';
import { type ChildServer, childServer } from './child-server.ts';

const ROWS_A_STATEMENT = 1_000;
const FILL_MS = 300_000;
const READ_MS = 30_000;
const POOL = 10;

const columns = new Map<string, { column: string; operator: '>=' | '<=' }>(
  features.flatMap(({ feature, min, max }) => [
    [min, { column: feature, operator: '>=' } as const],
    [max, { column: feature, operator: '<=' } as const],
  ]),
);

/** Fills a table with one row per record: its body as text, and a column with a btree per feature. */
export async function fillTable(
  connectionString: string,
  count: number,
  recordAt: (recordId: number) => ExperimentData,
  references: References,
): Promise<void> {
  const client = new pg.Client({ connectionString, query_timeout: FILL_MS });
  await client.connect();
  try {
    const names = features.map(({ feature }) => `"${feature}"`);
    await client.query('drop table if exists bench_record');
    await client.query(
      `create table bench_record (id integer primary key, body text not null, ${names.map((name) => `${name} double precision`).join(', ')})`,
    );
    for (let first = 1; first <= count; first += ROWS_A_STATEMENT) {
      const rows = Array.from({ length: Math.min(ROWS_A_STATEMENT, count - first + 1) }, (_, index) => {
        const data = recordAt(first + index);
        return { id: first + index, body: publicRecordJson(first + index, data), ...featureValues(data, references) };
      });
      await client.query('insert into bench_record select * from json_populate_recordset(null::bench_record, $1)', [
        JSON.stringify(rows),
      ]);
    }
    for (const name of names) await client.query(`create index on bench_record (${name})`);
    await client.query('vacuum (analyze) bench_record');
  } finally {
    await client.end();
  }
}

/** Starts an HTTP server on a filled table. It supports only range filters. */
export async function startSqlServer(connectionString: string): Promise<ChildServer> {
  const child = fork(import.meta.filename, ['serve', connectionString]);
  return childServer(child);
}

const query = z.object({
  skip: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  filter: z.string().default('{}'),
});

function serve(connectionString: string): void {
  const pool = new pg.Pool({ connectionString, max: POOL, query_timeout: READ_MS });
  const app = express();
  app.get('/public/dataset', async (request, response) => {
    const { skip, limit, filter } = query.parse(request.query);
    const values: number[] = [];
    const conditions = Object.entries(z.record(z.string(), z.number()).parse(JSON.parse(filter))).map(
      ([key, value]) => {
        const known = columns.get(key);
        if (!known) throw new Error(`"${key}" is not a range`);
        return `"${known.column}" ${known.operator} $${values.push(value)}`;
      },
    );
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    const [counted, page] = await Promise.all([
      pool.query<{ total: number }>(`select count(*)::integer as total from bench_record ${where}`, values),
      pool.query<{ body: string }>(
        `select body from bench_record ${where} order by id offset $${values.length + 1} limit $${values.length + 2}`,
        [...values, skip, limit],
      ),
    ]);
    const data = page.rows.map(({ body }) => body).join(',');
    response
      .type('json')
      .send(`{"data":[${data}],"total":${counted.rows[0]?.total ?? 0},"skip":${skip},"limit":${limit}}`);
  });
  const server = app.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') process.send?.(address?.port);
  });
  process.on('disconnect', () => process.exit());
}

if (process.argv[1] === import.meta.filename && process.argv[2] === 'serve') serve(process.argv[3] ?? '');
