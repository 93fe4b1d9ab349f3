import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { features, textKeys } from '@esd/record/filter/filter-keys';
import { nameLists } from '@esd/record/flatten/file-columns';
import { normalizedColumnOf, paperColumnOf } from '@esd/record/flatten/normalized-columns';
import { downloadExport } from './export-file.ts';

const { voltage, tipDist, fiberDiameter } = normalizedColumnOf;
const MATCHING = `from record where ${tipDist} >= $1`;

/** The expression of each category; a list has one row for each of its values. */
const categories = [
  ...textKeys.map(({ column }) => {
    const list = nameLists.find(([, flattened]) => flattened === column)?.[0];
    return list === undefined ? column : `unnest(${list})`;
  }),
  'was_formation_stable',
  ...Object.values(paperColumnOf),
];

/** The analyses as SQL by row of `ANALYSES`, with the smallest distance as parameter. */
const STATEMENTS: Readonly<Record<string, string>> = {
  facets: categories
    .map(
      (category, at) => `(
        select ${at} as category, value, count(*) as records, count(*) over () as distinct_values
        from (select cast(${category} as varchar) as value ${MATCHING})
        where value is not null group by value order by records desc, value limit 20)`,
    )
    .join(' union all '),
  histogram: `
    with shown as (select ${fiberDiameter} as value ${MATCHING} and ${fiberDiameter} > 0),
      bounds as (select ln(min(value)) as low, ln(max(value)) as high from shown)
    select least(29, floor(30 * (ln(value) - low) / (high - low))) as bin, count(*) from shown, bounds group by bin`,
  statistics: `
    select ${features
      .map(({ feature }) => normalizedColumnOf[feature])
      .map(
        (column) =>
          `count(${column}), quantile_cont(${column}, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]), avg(${column}), stddev_samp(${column})`,
      )
      .join(', ')} ${MATCHING}`,
  grid: `
    with shown as (select *, ${voltage} as x, ${tipDist} as y ${MATCHING} and ${voltage} is not null),
      bounds as (select min(x) as x0, max(x) as x1, min(y) as y0, max(y) as y1 from shown)
    select least(19, floor(20 * (x - x0) / (x1 - x0))) as i, least(19, floor(20 * (y - y0) / (y1 - y0))) as j,
      count(*), count(distinct doi), count(*) filter (was_formation_stable), count(*) filter (not was_formation_stable),
      count(${fiberDiameter}), quantile_cont(${fiberDiameter}, [0.25, 0.5, 0.75])
    from shown, bounds group by i, j`,
};

export interface SqlAnalyses {
  /** Returns the function that runs an analysis over the records from a smallest distance; undefined if there is no SQL. */
  analysis(name: string): ((tipDistMin: number) => Promise<unknown>) | undefined;
  close(): void;
}

/** Loads all records of the service into DuckDB in this process, from their Parquet file. */
export async function openSqlAnalyses(root: string): Promise<SqlAnalyses> {
  const folder = await mkdtemp(join(tmpdir(), 'esd-bench-sql-'));
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  try {
    const path = join(folder, 'records.parquet');
    await downloadExport(root, 'parquet', path);
    await connection.run(`create table record as select * from '${path}'`);
  } finally {
    await rm(folder, { recursive: true });
  }
  return {
    analysis: (name) => {
      const statement = STATEMENTS[name];
      return statement === undefined ? undefined : (tipDistMin) => connection.runAndReadAll(statement, [tipDistMin]);
    },
    close: () => {
      connection.closeSync();
      database.closeSync();
    },
  };
}
