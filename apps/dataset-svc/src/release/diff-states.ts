import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { type FieldDifference, recordDifference } from '@esd/record/catalog/record-difference';
import { type Kysely, sql } from 'kysely';
import type { BodyStore } from '../bodies/body-store.ts';
import { getState } from '../dataset-log/dataset-log.store.ts';
import type { TakeTurn } from '../bulk-reads.ts';
import type { Tables } from '../tables.ts';

export interface DifferingRecord {
  recordId: number;
  kind: 'added' | 'removed' | 'changed';
  /** For a changed record: the paths of the fields that differ. */
  fields: string[];
  /** For the first changed records: previous and new values of at most 20 fields. */
  changes?: readonly FieldDifference[];
}

/** The differing records by ascending id, as arrays of numbers because there can be as many as records. */
interface Differences {
  added: number[];
  removed: number[];
  /** The id of each changed record with its row in both states. */
  changed: { recordIds: number[]; fromRows: number[]; toRows: number[] };
}

const RECORDS_A_CHUNK = 1_000;
const PAIRS_A_STATEMENT = 50;
const MAX_VALUES = 20;

/**
 * Compares two states in either direction. Yields the added records, then the removed, then the changed ones, by ascending id and in
 * chunks; the first `valued` changed records include values. A record that was republished with equal data has not changed. Each part
 * runs in `turn`. Throws VERSION_NOT_FOUND for a revision that the dataset never reached.
 */
export async function* diffStates(
  { database, bodies, turn }: { database: Kysely<Tables>; bodies: Pick<BodyStore, 'find'>; turn: TakeTurn },
  fromRevision: number,
  toRevision: number,
  valued = 0,
): AsyncGenerator<DifferingRecord[], undefined> {
  const [{ datasetId }] = await Promise.all([getState(database, fromRevision), getState(database, toRevision)]);
  const { added, removed, changed } = await turn(() => findDifferences(database, fromRevision, toRevision));
  for (const [kind, recordIds] of [['added', added] as const, ['removed', removed] as const]) {
    for (let start = 0; start < recordIds.length; start += RECORDS_A_CHUNK) {
      yield recordIds.slice(start, start + RECORDS_A_CHUNK).map((recordId) => ({ recordId, kind, fields: [] }));
    }
  }
  const { recordIds, fromRows, toRows } = changed;
  let changedRecords = 0;
  for (let start = 0; start < recordIds.length; start += PAIRS_A_STATEMENT) {
    const end = start + PAIRS_A_STATEMENT;
    yield await turn(async () => {
      const before = await bodies.find(datasetId, fromRows.slice(start, end));
      const after = await bodies.find(datasetId, toRows.slice(start, end));
      return recordIds.slice(start, end).flatMap((recordId, index) => {
        const differences = recordDifference(dataOf(before[index]), dataOf(after[index]));
        if (differences.length === 0) return [];
        const differing = { recordId, kind: 'changed' as const, fields: differences.map(({ path }) => path) };
        changedRecords += 1;
        return changedRecords <= valued ? [{ ...differing, changes: differences.slice(0, MAX_VALUES) }] : [differing];
      });
    });
  }
  return undefined;
}

async function findDifferences(database: Kysely<Tables>, from: number, to: number): Promise<Differences> {
  const [low, high] = from < to ? [from, to] : [to, from];
  // Differing rows began or ended between the states. Ids of records and rows fit 32 bits, as in the read index.
  const { rows } = await sql<{
    born: number[] | null;
    ended: number[] | null;
    replaced: number[] | null;
    low_rows: number[] | null;
    high_rows: number[] | null;
  }>`
    select
      array_agg(record_id::integer order by record_id) filter (where low_row is null) as born,
      array_agg(record_id::integer order by record_id) filter (where high_row is null) as ended,
      array_agg(record_id::integer order by record_id) filter (where low_row is not null and high_row is not null) as replaced,
      array_agg(low_row::integer order by record_id) filter (where low_row is not null and high_row is not null) as low_rows,
      array_agg(high_row::integer order by record_id) filter (where low_row is not null and high_row is not null) as high_rows
    from (
      select record_id, row_id as low_row from record_revision
      where valid_to > ${low} and valid_to <= ${high} and valid_from <= ${low}
    ) as ended
    full join (
      select record_id, row_id as high_row from record_revision
      where valid_from > ${low} and valid_from <= ${high} and (valid_to is null or valid_to > ${high})
    ) as born using (record_id)`.execute(database);
  const [{ born, ended, replaced, low_rows, high_rows } = {}] = rows;
  const recordIds = replaced ?? [];
  return from < to
    ? {
        added: born ?? [],
        removed: ended ?? [],
        changed: { recordIds, fromRows: low_rows ?? [], toRows: high_rows ?? [] },
      }
    : {
        added: ended ?? [],
        removed: born ?? [],
        changed: { recordIds, fromRows: high_rows ?? [], toRows: low_rows ?? [] },
      };
}

function dataOf(body: Buffer | undefined) {
  return parsePublicRecord(String(body)).data;
}
