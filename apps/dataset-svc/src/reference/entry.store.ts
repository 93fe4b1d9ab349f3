import { type EntryInList, type ListName, OWN_NAME } from '@esd/record/reference/reference';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

const TABLES = {
  polymers: 'substance',
  solvents: 'substance',
  units: 'unit',
  morphologies: 'morphology',
  instabilities: 'instability',
} as const satisfies Record<ListName, keyof Tables>;

function rowsOf(list: ListName): RawBuilder<unknown> {
  return list === 'polymers' || list === 'solvents'
    ? sql`(select * from substance where list = ${list}) as entry`
    : sql`${sql.table(TABLES[list])} as entry`;
}

/** Returns the id for a new entry of a list. Ids are never reused. */
export async function nextEntryId(transaction: Transaction<Tables>, list: ListName): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`select max(entry_id) as last from ${rowsOf(list)}`.execute(
    transaction,
  );
  return (rows[0]?.last ?? 0) + 1;
}

/** Finds the previous names of an entry, oldest first. */
export async function findPreviousNames(
  transaction: Transaction<Tables>,
  list: ListName,
  id: number,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${sql.ref(OWN_NAME[list])} as name from ${rowsOf(list)} where entry_id = ${id} and valid_to is not null
    group by 1 order by min(row_id)`.execute(transaction);
  return rows.map(({ name }) => name);
}

export async function endEntry(
  transaction: Transaction<Tables>,
  list: ListName,
  id: number,
  revision: number,
): Promise<void> {
  await sql`
    update ${sql.table(TABLES[list])} set valid_to = ${revision}
    where valid_to is null and row_id in (select row_id from ${rowsOf(list)} where entry_id = ${id})`.execute(
    transaction,
  );
}

export async function insertEntry(
  transaction: Transaction<Tables>,
  { list, entry }: EntryInList,
  revision: number,
): Promise<void> {
  const validity = { entry_id: entry.id, valid_from: revision, valid_to: null, retired: entry.retired ?? false };
  switch (list) {
    case 'polymers':
    case 'solvents':
      await transaction
        .insertInto('substance')
        .values({
          ...validity,
          list,
          name: entry.name,
          full_name: entry.fullName ?? null,
          cas_number: entry.casNumber ?? null,
          abbreviation: entry.abbreviation ?? null,
          aliases: [...entry.aliases],
          kind: entry.kind,
          note: entry.note ?? null,
          same_as: entry.sameAs ?? null,
          inchi_key: entry.inchiKey ?? null,
          pubchem_cid: entry.pubchemCid ?? null,
        })
        .execute();
      return;
    case 'units':
      await transaction
        .insertInto('unit')
        .values({
          ...validity,
          unit: entry.unit,
          name: entry.name,
          dimension: entry.dimension,
          canonical: entry.canonical ?? null,
          factor: entry.factor ?? null,
          offset: entry.offset ?? null,
          aliases: [...entry.aliases],
          ucum_code: entry.ucumCode ?? null,
          qudt_uri: entry.qudtUri ?? null,
        })
        .execute();
      return;
    case 'morphologies':
      await transaction
        .insertInto('morphology')
        .values({
          ...validity,
          category: entry.category,
          label: entry.label,
          abbreviation: entry.abbreviation ?? null,
          definition: entry.definition,
          synonyms: [...entry.synonyms],
        })
        .execute();
      return;
    case 'instabilities':
      await transaction
        .insertInto('instability')
        .values({
          ...validity,
          label: entry.label,
          category: entry.category,
          definition: entry.definition,
          synonyms: [...entry.synonyms],
        })
        .execute();
  }
}

const TERM_FIELDS = {
  polymers: 'polymer',
  solvents: 'solvent',
  morphologies: 'morphology',
  instabilities: 'instability',
} as const satisfies Partial<Record<ListName, keyof Tables['index_row']>>;

/** Counts the records that have one of the names in any published revision. */
export async function countPublishedUse(
  transaction: Transaction<Tables>,
  list: ListName,
  names: readonly string[],
): Promise<number> {
  const { rows } = await (
    list === 'units'
      ? sql<{ records: number }>`
          select count(distinct record_id) as records from record_revision
          where body ~ ${`[uU]nit":"(?:${names.map((name) => escapePattern(JSON.stringify(name).slice(1, -1))).join('|')})"`}`
      : sql<{ records: number }>`
          select count(distinct record_id) as records from index_row
          where ${sql.ref(TERM_FIELDS[list])} in
            (select id from index_term where field = ${TERM_FIELDS[list]} and terms::jsonb ?| ${names}::text[])`
  ).execute(transaction);
  return rows[0]?.records ?? 0;
}

/** Escapes a text for a regular expression of PostgreSQL. */
function escapePattern(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, (character) => `\\${character}`);
}
