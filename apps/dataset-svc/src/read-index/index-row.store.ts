import { createHash } from 'node:crypto';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { repeatText } from '@esd/record/catalog/repeat-text';
import { settingsText } from '@esd/record/catalog/settings-text';
import { readFeatures } from '@esd/record/filter/feature-values';
import type { Feature, TextKey } from '@esd/record/filter/filter-keys';
import type { References } from '@esd/record/reference/reference';
import { recordTerms } from '@esd/record/filter/text-terms';
import { paperTitle } from '@esd/record/metadata/describe-record';
import { RULES } from '@esd/record/rules';
import { type ExpressionBuilder, type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { FEATURE_COLUMNS, featureKeys, type IndexRow, TERM_COLUMNS } from './index-row.table.ts';

export interface LogRow {
  rowId: number;
  recordId: number;
  validFrom: number;
  validTo: number | null;
  approvedAt: Date;
  data: ExperimentData;
}

/** Derives and inserts index rows; new texts get an id. The caller holds the head's lock. */
export async function insertIndexRows(
  transaction: Transaction<Tables>,
  rows: readonly LogRow[],
  references: References,
): Promise<void> {
  const made = await makeIndexRows(transaction, rows, references);
  if (made.length > 0) await transaction.insertInto('index_row').values(made).execute();
}

/** Derives index rows from rows of the log with the given lists. New texts get an id. The caller holds the head's lock. */
export async function makeIndexRows(
  transaction: Transaction<Tables>,
  rows: readonly LogRow[],
  references: References,
): Promise<IndexRow[]> {
  const termsOfRows = rows.map(({ data }) => termSets(data));
  const ids = await termIds(transaction, termsOfRows.flat());
  return rows.map((row, index) => {
    const { values, notConvertible } = readFeatures(row.data, references);
    const terms = new Map((termsOfRows[index] ?? []).map(({ field, terms }) => [field, ids.get(field + terms)]));
    return {
      row_id: row.rowId,
      record_id: row.recordId,
      valid_from: row.validFrom,
      valid_to: row.validTo,
      is_formation_stable: row.data.fiberProperty?.isFormationStable ?? null,
      not_convertible: notConvertible.reduce((bits, feature) => bits | (1 << featureKeys.indexOf(feature)), 0),
      published_at: row.approvedAt,
      has_title: paperTitle(row.data) !== undefined,
      repeat_key: hashOf(repeatText(row.data)),
      settings_key: hashOf(settingsText(row.data, references)),
      rules: RULES,
      ...columnsOf(FEATURE_COLUMNS, (feature: Feature) => values[feature] ?? null),
      ...columnsOf(TERM_COLUMNS, (key: TextKey) => terms.get(key) ?? null),
    };
  });
}

/** Returns the first 53 bits of the SHA-256 of a text, which a double represents exactly; null without a text. */
function hashOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(createHash('sha256').update(text).digest().readBigUInt64BE() >> 11n);
}

/**
 * Replaces the derived columns of rows that still have older rules; `valid_to` stays. Skips rows that another transaction has locked,
 * so that replicas do not wait for each other. Returns the number of replaced rows.
 */
export async function replaceIndexRows(database: Kysely<Tables>, rows: readonly IndexRow[]): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const locked = await transaction
      .selectFrom('index_row')
      .select('row_id')
      .where('row_id', '=', sql<number>`any(${rows.map(({ row_id: id }) => id)})`)
      .where(hasOlderRules)
      .forUpdate()
      .skipLocked()
      .execute();
    const free = new Set(locked.map(({ row_id: id }) => id));
    const replaced = rows.filter(({ row_id: id }) => free.has(id));
    if (replaced.length === 0) return 0;
    const derived = [
      ...([
        'is_formation_stable',
        'not_convertible',
        'published_at',
        'has_title',
        'repeat_key',
        'settings_key',
        'rules',
      ] as const),
      ...Object.values(FEATURE_COLUMNS),
      ...Object.values(TERM_COLUMNS),
    ];
    await transaction
      .insertInto('index_row')
      .values(replaced)
      .onConflict((conflict) =>
        conflict
          .column('row_id')
          .doUpdateSet((on) => Object.fromEntries(derived.map((column) => [column, on.ref(`excluded.${column}`)]))),
      )
      .execute();
    return replaced.length;
  });
}

export const hasOlderRules = (on: ExpressionBuilder<Tables, 'index_row'>) => on('index_row.rules', '<', RULES);

/** Lists rows that were valid at revision `after` and ended no later than `upTo`. */
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

/** Lists the terms that were added after an id, by id. Ids become visible in order, see the lock of `makeIndexRows`. */
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
  if (!Object.hasOwn(TERM_COLUMNS, name)) throw new Error(`"${name}" is not a text key`);
  return name as TextKey;
}

async function termIds(transaction: Transaction<Tables>, sets: readonly TermSet[]): Promise<Map<string, number>> {
  const setsByKey = new Map(sets.map((set) => [set.field + set.terms, set]));
  if (setsByKey.size === 0) return new Map();
  const storedTerms = await transaction
    .selectFrom('index_term')
    .selectAll()
    .where((on) =>
      on(
        on.refTuple('field', 'terms'),
        'in',
        [...setsByKey.values()].map(({ field, terms }) => on.tuple(field, terms)),
      ),
    )
    .execute();
  const ids = new Map(storedTerms.map(({ id, field, terms }) => [field + terms, id]));
  const missing = [...setsByKey].filter(([key]) => !ids.has(key)).map(([, set]) => set);
  if (missing.length === 0) return ids;
  const inserted = await transaction.insertInto('index_term').values(missing).returningAll().execute();
  for (const { id, field, terms } of inserted) ids.set(field + terms, id);
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
