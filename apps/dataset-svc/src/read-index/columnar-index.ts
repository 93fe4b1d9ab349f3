import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBIntegerVector,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  listValue,
} from '@duckdb/node-api';
import type { Feature } from '@esd/record/filter/filter-keys';
import { fromOrderedBits, orderedBits } from './ordered-bits.ts';
import { FEATURE_COLUMNS, featureColumns, type IndexRow, termColumns } from './index-row.table.ts';

/** What a filter asks of the columns: SQL with `?` for each of its values. */
export interface Where {
  sql: string;
  values: (number | bigint | boolean | number[])[];
}

export interface ColumnarIndex {
  append(rows: readonly IndexRow[]): Promise<void>;
  /** Ends the validity of rows. */
  end(rows: readonly { row_id: number; valid_to: number }[]): Promise<void>;
  count(where: Where): Promise<number>;
  /** Row ids that match by ascending record id, from `skip` on. */
  page(where: Where, skip: number, limit: number): Promise<number[]>;
  /** All row ids that match, by ascending record id. */
  all(where: Where): Promise<Int32Array>;
  /** Of each feature with a value in a matching row: how many have one, and two quantiles (values that occur). */
  ranges(where: Where): Promise<FeatureRange[]>;
  close(): void;
}

/** Where the values of a feature mostly lie, in the unit of its filter. */
export interface FeatureRange {
  feature: Feature;
  count: number;
  /** The 0.1 percentile. */
  low: number;
  /** The 99.9 percentile. */
  high: number;
}

/** `valid_to` of a row that is still valid: later than every dataset revision. */
const FOR_EVER = 2_147_483_647;
const CHUNK = 2_048;

// The table's keys are the features.
const features = Object.entries(FEATURE_COLUMNS) as [Feature, string][];

const FEATURES: ReadonlySet<string> = new Set(featureColumns);

const COLUMNS: readonly { name: keyof IndexRow; type: DuckDBType; sql: string }[] = [
  ...(['row_id', 'record_id', 'valid_from', 'valid_to'] as const).map((name) => ({
    name,
    type: INTEGER,
    sql: 'integer not null',
  })),
  { name: 'is_formation_stable', type: BOOLEAN, sql: 'boolean' },
  ...featureColumns.map((name) => ({ name, type: BIGINT, sql: 'bigint' })),
  ...termColumns.map((name) => ({ name, type: INTEGER, sql: 'integer' })),
];

/** Opens an empty index in memory. `memoryLimit` as DuckDB writes it, e.g. 1GB; every query runs on `threads` threads. */
export async function openColumnarIndex(memoryLimit: string, threads: number): Promise<ColumnarIndex> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    threads: String(threads),
    // Nothing may reach the disk or the network from here.
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
  });
  const writer = await instance.connect();
  await writer.run(`create table log_row (${COLUMNS.map(({ name, sql }) => `${name} ${sql}`).join(', ')})`);
  const idle: DuckDBConnection[] = [];
  const query = async <Result>(use: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> => {
    const connection = idle.pop() ?? (await instance.connect());
    try {
      const result = await use(connection);
      idle.push(connection);
      return result;
    } catch (error) {
      connection.closeSync();
      throw error;
    }
  };
  return {
    append: async (rows) => {
      const appender = await writer.createAppender('log_row');
      for (let start = 0; start < rows.length; start += CHUNK) {
        const part = rows.slice(start, start + CHUNK);
        const chunk = DuckDBDataChunk.create(
          COLUMNS.map(({ type }) => type),
          part.length,
        );
        chunk.setColumns(COLUMNS.map(({ name }) => part.map((row) => columnValue(row, name))));
        appender.appendDataChunk(chunk);
      }
      appender.closeSync();
    },
    end: async (rows) => {
      if (rows.length === 0) return;
      await writer.run(
        `update log_row set valid_to = ended.valid_to
         from (select unnest($1) as row_id, unnest($2) as valid_to) as ended
         where log_row.row_id = ended.row_id`,
        [listValue(rows.map(({ row_id }) => row_id)), listValue(rows.map(({ valid_to }) => valid_to))],
        [LIST(INTEGER), LIST(INTEGER)],
      );
    },
    count: (where) =>
      query(async (connection) => {
        const { values, types } = bind(where);
        const sql = `select count(*)::integer from log_row where ${where.sql}`;
        const result = await connection.runAndReadAll(sql, values, types);
        return Number(result.value(0, 0));
      }),
    page: (where, skip, limit) =>
      query(async (connection) => {
        const { values, types } = bind(where);
        const sql = `select row_id from log_row where ${where.sql} order by record_id limit ? offset ?`;
        const result = await connection.runAndReadAll(sql, [...values, limit, skip], [...types, INTEGER, INTEGER]);
        return (result.getColumns()[0] ?? []).map(Number);
      }),
    all: (where) =>
      query(async (connection) => {
        const { values, types } = bind(where);
        const sql = `select row_id from log_row where ${where.sql} order by record_id`;
        const result = await connection.run(sql, values, types);
        const ids = new Int32Array(result.rowCount);
        let filled = 0;
        for (let chunk = 0; chunk < result.chunkCount; chunk += 1) {
          const column = result.getChunk(chunk).getColumnVector(0);
          if (!(column instanceof DuckDBIntegerVector)) throw new Error('row ids are integers');
          for (let item = 0; item < column.itemCount; item += 1) ids[filled++] = column.getItem(item) ?? 0;
        }
        return ids;
      }),
    ranges: (where) =>
      query(async (connection) => {
        const { values, types } = bind(where);
        const selected = features.map(([, column]) => `count(${column})::integer, ${lowAndHigh(column)}`);
        const sql = `select ${selected.join(', ')} from log_row where ${where.sql}`;
        const [row = []] = (await connection.runAndReadAll(sql, values, types)).getRows();
        return features.flatMap(([feature], index) => {
          const [count, low, high] = row.slice(index * 3, index * 3 + 3);
          return typeof low === 'bigint' && typeof high === 'bigint'
            ? [{ feature, count: Number(count), low: fromOrderedBits(low), high: fromOrderedBits(high) }]
            : [];
        });
      }),
    close: () => {
      for (const connection of idle) connection.closeSync();
      writer.closeSync();
      instance.closeSync();
    },
  };
}

const lowAndHigh = (column: string): string => `quantile_disc(${column}, 0.001), quantile_disc(${column}, 0.999)`;

function columnValue(row: IndexRow, name: keyof IndexRow): DuckDBValue {
  if (name === 'valid_to') return row.valid_to ?? FOR_EVER;
  const value = row[name];
  return typeof value === 'number' && FEATURES.has(name) ? orderedBits(value) : value;
}

function bind(where: Where): { values: DuckDBValue[]; types: DuckDBType[] } {
  return {
    values: where.values.map((value) => (Array.isArray(value) ? listValue(value) : value)),
    types: where.values.map((value) =>
      Array.isArray(value)
        ? LIST(INTEGER)
        : typeof value === 'boolean'
          ? BOOLEAN
          : typeof value === 'bigint'
            ? BIGINT
            : INTEGER,
    ),
  };
}
