import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import { featureValues } from '@esd/record/filter/feature-values';
import type { Feature, TextKey } from '@esd/record/filter/filter-keys';
import type { References } from '@esd/record/reference/reference';
import { recordTerms } from '@esd/record/filter/text-terms';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { FEATURE_COLUMNS, type IndexRow, TERM_COLUMNS } from './index-row.table.ts';

/** A row of the log that the index is to know. */
export interface LogRow {
  rowId: number;
  recordId: number;
  validFrom: number;
  validTo: number | null;
  data: ExperimentData;
}

const CHUNK = 20_000;

/** Adds rows to what the read index is filled from; new texts get an id. The caller holds the head's lock. */
export async function insertIndexRows(
  transaction: Transaction<Tables>,
  rows: readonly LogRow[],
  references: References,
): Promise<void> {
  const termsOfRows = rows.map(({ data }) => termSets(data));
  const ids = await termIds(transaction, termsOfRows.flat());
  await transaction
    .insertInto('index_row')
    .values(
      rows.map((row, index) => {
        const values = featureValues(row.data, references);
        const terms = new Map((termsOfRows[index] ?? []).map(({ field, terms }) => [field, ids.get(field + terms)]));
        return {
          row_id: row.rowId,
          record_id: row.recordId,
          valid_from: row.validFrom,
          valid_to: row.validTo,
          is_formation_stable: row.data.fiberProperty?.isFormationStable ?? null,
          ...columnsOf(FEATURE_COLUMNS, (feature: Feature) => values[feature] ?? null),
          ...columnsOf(TERM_COLUMNS, (key: TextKey) => terms.get(key) ?? null),
        };
      }),
    )
    .execute();
}

/** Ends the validity of a record's row, as the log does. */
export async function closeIndexRows(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
  validTo: number,
): Promise<void> {
  await transaction
    .updateTable('index_row')
    .set({ valid_to: validTo })
    .where('valid_to', 'is', null)
    .where('record_id', 'in', recordIds)
    .execute();
}

/** Rows that became valid after one dataset revision and up to another, in chunks by (record id, row id). */
export async function* newIndexRows(database: Kysely<Tables>, after: number, upTo: number): AsyncGenerator<IndexRow[]> {
  let last = { record_id: 0, row_id: 0 };
  for (;;) {
    const { record_id, row_id } = last;
    const rows = await database
      .selectFrom('index_row')
      .selectAll()
      .where('valid_from', '>', after)
      .where('valid_from', '<=', upTo)
      .where((on) => on(on.refTuple('record_id', 'row_id'), '>', on.tuple(record_id, row_id)))
      .orderBy('record_id')
      .orderBy('row_id')
      .limit(CHUNK)
      .execute();
    const end = rows.at(-1);
    if (end) yield rows;
    if (!end || rows.length < CHUNK) return;
    last = end;
  }
}

/** Rows that were valid at one dataset revision and ended up to another. */
export async function endedIndexRows(
  database: Kysely<Tables>,
  after: number,
  upTo: number,
): Promise<{ row_id: number; record_id: number; valid_to: number }[]> {
  return database
    .selectFrom('index_row')
    .select(['row_id', 'record_id', 'valid_to'])
    .where('valid_from', '<=', after)
    .where('valid_to', '>', after)
    .where('valid_to', '<=', upTo)
    .$narrowType<{ valid_to: number }>()
    .execute();
}

/** Term sets with an id above `after`. */
export async function newTerms(
  database: Kysely<Tables>,
  after: number,
): Promise<{ id: number; field: TextKey; terms: string }[]> {
  return database.selectFrom('index_term').selectAll().where('id', '>', after).orderBy('id').execute();
}

interface TermSet {
  field: TextKey;
  terms: string;
}

function termSets(data: ExperimentData): TermSet[] {
  return Object.entries(recordTerms(data)).flatMap(([field, terms]) =>
    terms.length === 0 ? [] : [{ field: textKey(field), terms: JSON.stringify([...new Set(terms)].sort()) }],
  );
}

function textKey(name: string): TextKey {
  if (!Object.hasOwn(TERM_COLUMNS, name)) throw new Error(`${name} is no text key`);
  // hasOwn has just said so.
  return name as TextKey;
}

async function termIds(transaction: Transaction<Tables>, sets: readonly TermSet[]): Promise<Map<string, number>> {
  const wanted = new Map(sets.map((set) => [set.field + set.terms, set]));
  const ids = new Map<string, number>();
  if (wanted.size === 0) return ids;
  const held = await transaction
    .selectFrom('index_term')
    .selectAll()
    .where((on) =>
      on(
        on.refTuple('field', 'terms'),
        'in',
        [...wanted.values()].map(({ field, terms }) => on.tuple(field, terms)),
      ),
    )
    .execute();
  for (const { id, field, terms } of held) ids.set(field + terms, id);
  const missing = [...wanted].filter(([key]) => !ids.has(key)).map(([, set]) => set);
  if (missing.length > 0) {
    const added = await transaction.insertInto('index_term').values(missing).returningAll().execute();
    for (const { id, field, terms } of added) ids.set(field + terms, id);
  }
  return ids;
}

function columnsOf<Columns extends Readonly<Record<string, string>>, Value>(
  columns: Columns,
  valueOf: (key: keyof Columns & string) => Value,
): Record<Columns[keyof Columns], Value> {
  const entries = Object.entries(columns).map(([key, column]) => [column, valueOf(key)]);
  // Object.entries walks the same keys and columns that the type names.
  return Object.fromEntries(entries) as Record<Columns[keyof Columns], Value>;
}
