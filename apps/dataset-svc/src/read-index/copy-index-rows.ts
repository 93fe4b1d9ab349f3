import { copyOut } from '@esd/service/database/copy-out';
import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { FOREVER, newRows, type RowColumns, sliceRows, STABILITY } from './columns/row-columns.ts';
import { featureColumns, termColumns } from './index-row.table.ts';

/** Rows in one part. */
const ROWS = 16_384;
/** `PGCOPY\n\377\r\n\0`, flags and the length of an extension that there is none of. */
const HEADER_BYTES = 19;
const INTS = ['row_id', 'record_id', 'valid_from', 'valid_to', 'not_convertible'] as const;
const FIELDS = INTS.length + 2 + featureColumns.length + termColumns.length;
/** Of a row in the file: the number of its fields, and for each its length and at most eight bytes. */
const MAX_ROW_BYTES = 2 + FIELDS * 12;
/** Microseconds since 2000-01-01 in PostgreSQL's binary timestamps. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const NULL_LENGTH = -1;

/** All rows of the index up to a dataset revision as they were then, in parts, by record id, then row id. */
export async function* copyIndexRows(
  database: Kysely<Tables>,
  databaseUrl: string,
  upTo: number,
): AsyncGenerator<RowColumns> {
  let rows = newRows(ROWS);
  let length = 0;
  for await (const [bytes, starts] of wholeRows(copyOut(databaseUrl, rowsQuery(database, upTo)))) {
    for (const start of starts) {
      readRow(bytes, start, rows, length++, upTo);
      if (length < ROWS) continue;
      yield rows;
      rows = newRows(ROWS);
      length = 0;
    }
  }
  if (length > 0) yield sliceRows(rows, 0, length);
}

function rowsQuery(database: Kysely<Tables>, upTo: number): CompiledQuery {
  const int = (name: string) => sql<number>`${sql.ref(name)}::integer`.as(name);
  return database
    .selectFrom('index_row')
    .select(INTS.map(int))
    .select(['is_formation_stable', 'published_at', ...featureColumns])
    .select(termColumns.map(int))
    .where('valid_from', '<=', sql.lit(upTo))
    .orderBy('index_row.record_id')
    .orderBy('index_row.row_id')
    .compile();
}

/** The parts of a file in binary COPY format, each with the places at which whole rows begin. */
async function* wholeRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<[Buffer, number[]]> {
  let rest: Buffer = Buffer.alloc(0);
  let skip = HEADER_BYTES;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const starts: number[] = [];
    let at = Math.min(skip, bytes.length);
    skip -= at;
    for (;;) {
      const end = endOfRow(bytes, at);
      if (end === undefined) break;
      starts.push(at);
      at = end;
    }
    yield [bytes, starts];
    rest = bytes.subarray(at);
  }
  if (rest.length !== 2 || rest.readInt16BE(0) !== -1) throw new Error('the rows of the index end too early');
}

/** Where a row ends; undefined for the end of the file and where not all of the row is there. */
function endOfRow(bytes: Buffer, start: number): number | undefined {
  if (start + 2 > bytes.length) return undefined;
  const fields = bytes.readInt16BE(start);
  if (fields === -1) return undefined;
  if (fields !== FIELDS) throw new Error(`a row of the index has ${fields} fields, not ${FIELDS}`);
  const isWhole = start + MAX_ROW_BYTES <= bytes.length;
  let at = start + 2;
  for (let field = 0; field < fields; field += 1) {
    if (!isWhole && at + 4 > bytes.length) return undefined;
    at += 4 + Math.max(0, bytes.readInt32BE(at));
  }
  return at <= bytes.length ? at : undefined;
}

function readRow(bytes: Buffer, start: number, rows: RowColumns, slot: number, upTo: number): void {
  let at = start + 2;
  /** Goes on to the next field and tells where its value is. */
  const next = (): number => {
    const length = bytes.readInt32BE(at);
    const value = at + 4;
    at = value + Math.max(0, length);
    return length === NULL_LENGTH ? -1 : value;
  };
  const int = (absent: number): number => {
    const value = next();
    return value < 0 ? absent : bytes.readInt32BE(value);
  };
  rows.rowId[slot] = int(0);
  rows.recordId[slot] = int(0);
  rows.validFrom[slot] = int(0);
  const validTo = int(FOREVER);
  // What has ended by now may not have at that revision.
  rows.validTo[slot] = validTo > upTo ? FOREVER : validTo;
  rows.notConvertible[slot] = int(0);
  const stable = next();
  rows.stability[slot] = stable < 0 ? STABILITY.unknown : bytes[stable] === 1 ? STABILITY.yes : STABILITY.no;
  const published = next();
  rows.publishedAt[slot] = published < 0 ? NaN : EPOCH_MS + Number(bytes.readBigInt64BE(published)) / 1_000;
  for (const column of rows.features) {
    const value = next();
    column[slot] = value < 0 ? NaN : bytes.readDoubleBE(value);
  }
  for (const column of rows.terms) column[slot] = int(0);
}
