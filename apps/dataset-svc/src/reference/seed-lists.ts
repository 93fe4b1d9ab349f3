import { readFile } from 'node:fs/promises';
import type { Insertable, Kysely, Transaction } from 'kysely';
import { csvRecords } from '@esd/record/sheet/csv-rows';
import { advanceHead, lockHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { type Insert, optional, optionalNumber, parts, type Row, text } from './seed-rows.ts';
import type { AmbiguousTextTable } from './reference.table.ts';

const SEEDS = new URL('../../seeds/', import.meta.url);

type Validity = Pick<Insertable<Tables['unit']>, 'entry_id' | 'valid_from' | 'valid_to'>;

/**
 * Inserts seed entries that no list has ever had, as one dataset revision. Changed and retired entries stay unchanged. Idempotent, and
 * safe when several replicas start at the same time.
 */
export async function seedLists(database: Kysely<Tables>): Promise<void> {
  const [polymers, solvents, units, morphologies, instabilities, ambiguous] = await Promise.all(
    ['polymers', 'solvents', 'units', 'morphologies', 'instabilities', 'ambiguous'].map(readSeed),
  );
  await database.transaction().execute(async (transaction) => {
    const head = await lockHead(transaction);
    const revision = head.revision + 1;
    const inserts = [
      ...(await substances(transaction, revision, 'polymers', polymers ?? [])),
      ...(await substances(transaction, revision, 'solvents', solvents ?? [])),
      ...(await newUnits(transaction, revision, units ?? [])),
      ...(await newMorphologies(transaction, revision, morphologies ?? [])),
      ...(await newInstabilities(transaction, revision, instabilities ?? [])),
      ...(await newAmbiguousTexts(transaction, revision, ambiguous ?? [])),
    ];
    if (inserts.length === 0) return;
    await advanceHead(transaction, head, { recordCount: head.recordCount, referenceLists: true });
    for (const insert of inserts) await insert();
  });
}

async function readSeed(list: string): Promise<Row[]> {
  return csvRecords(new TextDecoder().decode(await readFile(new URL(`${list}.csv`, SEEDS))));
}

/** Returns the rows with new keys, with ids that follow those of the stored entries. */
function missingRows(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  stored: readonly { entry_id: number; key: string }[],
  revision: number,
): [Row, Validity][] {
  const storedKeys = new Set(stored.map((entry) => entry.key));
  const last = stored.reduce((highest, entry) => Math.max(highest, entry.entry_id), 0);
  return rows
    .filter((row) => !storedKeys.has(keyOf(row)))
    .map((row, index) => [row, { entry_id: last + index + 1, valid_from: revision, valid_to: null }]);
}

async function substances(
  transaction: Transaction<Tables>,
  revision: number,
  list: 'polymers' | 'solvents',
  rows: readonly Row[],
): Promise<Insert[]> {
  const stored = await transaction
    .selectFrom('substance')
    .select(['entry_id', 'name as key'])
    .where('list', '=', list)
    .execute();
  const values = missingRows(rows, (row) => text(row, 'name'), stored, revision).map(([row, validity]) => ({
    ...validity,
    list,
    name: text(row, 'name'),
    full_name: optional(row, 'fullName'),
    cas_number: optional(row, 'casNumber'),
    abbreviation: optional(row, 'abbreviation'),
    aliases: parts(row, 'aliases'),
    kind: text(row, 'kind'),
    note: optional(row, 'note'),
    same_as: optional(row, 'sameAs'),
    inchi_key: optional(row, 'inchiKey'),
    pubchem_cid: optionalNumber(row, 'pubchemCid'),
  }));
  return values.length === 0 ? [] : [() => transaction.insertInto('substance').values(values).execute()];
}

async function newUnits(transaction: Transaction<Tables>, revision: number, rows: readonly Row[]): Promise<Insert[]> {
  const stored = await transaction.selectFrom('unit').select(['entry_id', 'unit as key']).execute();
  const values = missingRows(rows, (row) => text(row, 'unit'), stored, revision).map(([row, validity]) => ({
    ...validity,
    unit: text(row, 'unit'),
    name: text(row, 'name'),
    dimension: text(row, 'dimension'),
    canonical: optional(row, 'canonical'),
    factor: optionalNumber(row, 'factor'),
    offset: optionalNumber(row, 'offset'),
    aliases: parts(row, 'aliases'),
    ucum_code: optional(row, 'ucumCode'),
    qudt_uri: optional(row, 'qudtUri'),
  }));
  return values.length === 0 ? [] : [() => transaction.insertInto('unit').values(values).execute()];
}

async function newMorphologies(
  transaction: Transaction<Tables>,
  revision: number,
  rows: readonly Row[],
): Promise<Insert[]> {
  const stored = await transaction.selectFrom('morphology').select(['entry_id', 'label as key']).execute();
  const values = missingRows(rows, (row) => text(row, 'label'), stored, revision).map(([row, validity]) => ({
    ...validity,
    category: text(row, 'category'),
    label: text(row, 'label'),
    abbreviation: optional(row, 'abbreviation'),
    definition: text(row, 'definition'),
    synonyms: parts(row, 'synonyms'),
  }));
  return values.length === 0 ? [] : [() => transaction.insertInto('morphology').values(values).execute()];
}

async function newInstabilities(
  transaction: Transaction<Tables>,
  revision: number,
  rows: readonly Row[],
): Promise<Insert[]> {
  const stored = await transaction.selectFrom('instability').select(['entry_id', 'label as key']).execute();
  const values = missingRows(rows, (row) => text(row, 'label'), stored, revision).map(([row, validity]) => ({
    ...validity,
    label: text(row, 'label'),
    category: text(row, 'category'),
    definition: text(row, 'definition'),
    synonyms: parts(row, 'synonyms'),
  }));
  return values.length === 0 ? [] : [() => transaction.insertInto('instability').values(values).execute()];
}

async function newAmbiguousTexts(
  transaction: Transaction<Tables>,
  revision: number,
  rows: readonly Row[],
): Promise<Insert[]> {
  const stored = await transaction.selectFrom('ambiguous_text').select(['entry_id', 'list', 'text']).execute();
  const keyOf = (list: string, of: string): string => `${list} ${of}`;
  const values = missingRows(
    rows,
    (row) => keyOf(text(row, 'list'), text(row, 'text')),
    stored.map((entry) => ({ entry_id: entry.entry_id, key: keyOf(entry.list, entry.text) })),
    revision,
  ).map(([row, validity]) => ({
    ...validity,
    list: listName(text(row, 'list')),
    text: text(row, 'text'),
    meanings: parts(row, 'meanings'),
  }));
  return values.length === 0 ? [] : [() => transaction.insertInto('ambiguous_text').values(values).execute()];
}

function listName(name: string): AmbiguousTextTable['list'] {
  switch (name) {
    case 'polymers':
    case 'solvents':
    case 'units':
    case 'morphologies':
    case 'instabilities':
      return name;
    default:
      throw new Error(`there is no reference list ${name}`);
  }
}
