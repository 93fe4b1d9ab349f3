import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBListValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import { featureValues } from '@esd/record/filter/feature-values';
import { features, type TextKey, textKeys } from '@esd/record/filter/filter-keys';
import { recordTerms } from '@esd/record/filter/text-terms';
import type { Dataset } from './fill-dataset.ts';
import { recordData } from './generated-records.ts';

/** A table of what analyses read of records. */
export interface AnalysisTable {
  /** Does the SQL of an analysis over the records with at least a distance, and reads its rows. */
  ask(analysis: string, tipDistMin: number): Promise<void>;
  close(): void;
}

const FEATURES = features.map(({ feature }) => feature);
const TEXTS = textKeys.map(({ key }) => key);
const TEXT_LIST = LIST(VARCHAR);
const CATEGORIES: readonly (TextKey | 'isFormationStable')[] = [...TEXTS, 'isFormationStable'];

/** Fills a table in memory with the records of a dataset: a column a feature, a list of texts a text key. */
export async function fillAnalysisTable({ size, demo, references }: Dataset, seed: number): Promise<AnalysisTable> {
  const database = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await database.connect();
  const numbers = FEATURES.map((name) => `"${name}" double`);
  const texts = CATEGORIES.map((name) => `"${name}" varchar[]`);
  await connection.run(`create table record (id integer, ${[...numbers, ...texts].join(', ')})`);
  const appender = await connection.createAppender('record');
  for (let recordId = 1; recordId <= size(); recordId += 1) {
    const data = recordData(demo, recordId, seed);
    const [values, terms] = [featureValues(data, references), recordTerms(data)];
    appender.appendInteger(recordId);
    for (const name of FEATURES) {
      const value = values[name];
      if (value === undefined) appender.appendNull();
      else appender.appendDouble(value);
    }
    for (const name of TEXTS) appender.appendList(distinct(terms[name]), TEXT_LIST);
    const stable = data.fiberProperty?.isFormationStable;
    appender.appendList(distinct(stable === undefined ? [] : [stable ? 'yes' : 'no']), TEXT_LIST);
    appender.endRow();
  }
  appender.closeSync();
  return {
    ask: async (analysis, tipDistMin) => {
      for (const sql of sqlOf(analysis, `"tipDist" >= ${tipDistMin}`)) await readAll(connection, sql);
    },
    close: () => {
      connection.closeSync();
      database.closeSync();
    },
  };
}

const distinct = (texts: readonly string[]): DuckDBListValue => listValue([...new Set(texts)]);

async function readAll(connection: DuckDBConnection, sql: string): Promise<void> {
  await connection.runAndReadAll(sql);
}

/** The statements of an analysis over the records of a condition. */
function sqlOf(analysis: string, where: string): readonly string[] {
  switch (analysis) {
    case 'facets':
      return CATEGORIES.flatMap((name) => [
        `select value, count(*) as n from (select unnest("${name}") as value from record where ${where}) group by value order by n desc, value limit 20`,
        `select count(*) from record where ${where} and len("${name}") = 0`,
      ]);
    case 'statistics':
      return [
        `select ${FEATURES.map(
          (name) =>
            `count("${name}"), quantile_cont("${name}", [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]), avg("${name}"), stddev_samp("${name}")`,
        ).join(', ')} from record where ${where}`,
      ];
    case 'histogram':
      return [
        `with matching as (select ln("fiberDiameter") as value from record where ${where} and "fiberDiameter" > 0),
              bounds as (select min(value) as low, max(value) as high from matching)
         select least(29, floor((value - low) / (high - low) * 30)) as bin, count(*) from matching, bounds group by bin order by bin`,
      ];
    case 'grid':
      return [
        `with matching as (select "voltage" as x, "tipDist" as y, * from record where ${where} and "voltage" is not null),
              bounds as (select min(x) as x0, max(x) as x1, min(y) as y0, max(y) as y1 from matching)
         select least(19, floor((x - x0) / (x1 - x0) * 20)) as i, least(19, floor((y - y0) / (y1 - y0) * 20)) as j, count(*),
                count(distinct doi[1]), count(*) filter ("isFormationStable"[1] = 'yes'), count(*) filter ("isFormationStable"[1] = 'no'),
                count("fiberDiameter"), quantile_cont("fiberDiameter", [0.25, 0.5, 0.75])
         from matching, bounds group by i, j order by i, j`,
      ];
    case 'points':
      return [
        `select id, "voltage", "fiberDiameter", polymer[1] from record where ${where} and "voltage" is not null and "fiberDiameter" is not null
         order by hash(id) limit 5000`,
      ];
    case 'nearest':
      return [
        `with scale as (select quantile_cont("voltage", 0.75) - quantile_cont("voltage", 0.25) as v,
                quantile_cont(ln("flowRate"), 0.75) - quantile_cont(ln("flowRate"), 0.25) as f,
                quantile_cont("tipDist", 0.75) - quantile_cont("tipDist", 0.25) as d from record where "flowRate" > 0)
         select id, (coalesce(abs("voltage" - 15) / v, 1) + coalesce(abs(ln(nullif("flowRate", 0))) / f, 1)
                + coalesce(abs("tipDist" - 15) / d, 1) + case when polymer = ['PVDF'] then 0 else 0.5 end) / 4 as distance
         from record, scale where ${where} and list_contains(polymer, 'PVDF') order by distance, id limit 20`,
      ];
    case 'coverage':
      return [
        `select value, count(*) as n, ${FEATURES.map((name) => `count("${name}")`).join(', ')},
                ${CATEGORIES.map((name) => `count(*) filter (len("${name}") > 0)`).join(', ')}
         from (select unnest(polymer) as value, * from record where ${where}) group by value order by n desc, value limit 100`,
      ];
    default:
      throw new Error(`there is no SQL for ${analysis}`);
  }
}
