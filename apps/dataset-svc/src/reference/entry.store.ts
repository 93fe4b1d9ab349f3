import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Instability, Morphology, Substance, Unit } from '@esd/proto/esd/dataset/v1/reference';
import { LIST_NAMES } from '@esd/record/reference/list-names';
import { type ListName, OWN_NAME } from '@esd/record/reference/reference';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** The lists by name. `ambiguous` has the texts of all lists that have two meanings. */
export interface StoredLists {
  polymers: Substance[];
  solvents: Substance[];
  units: Unit[];
  morphologies: Morphology[];
  instabilities: Instability[];
  ambiguous: StoredAmbiguousText[];
}

export interface StoredAmbiguousText {
  id: number;
  list: ListName;
  text: string;
  meanings: string[];
}

type StoredList = keyof StoredLists | 'papers';

/** The lists that resolve names. */
export const NAMED_LISTS = [...LIST_NAMES, 'ambiguous'] as const;

const substances = {
  table: 'substance',
  members: [
    'name',
    'fullName',
    'casNumber',
    'abbreviation',
    'aliases',
    'kind',
    'note',
    'sameAs',
    'inchiKey',
    'pubchemCid',
    'retired',
  ],
};

/** The table of each list, and the members of its entries, except the id. A column has the name of its member in snake case. */
const TABLES: Readonly<Record<StoredList, { table: string; members: readonly string[] }>> = {
  polymers: substances,
  solvents: substances,
  units: {
    table: 'unit',
    members: [
      'unit',
      'name',
      'dimension',
      'canonical',
      'factor',
      'offset',
      'aliases',
      'ucumCode',
      'qudtUri',
      'retired',
    ],
  },
  morphologies: {
    table: 'morphology',
    members: ['category', 'label', 'abbreviation', 'definition', 'synonyms', 'retired'],
  },
  instabilities: { table: 'instability', members: ['label', 'category', 'definition', 'synonyms', 'retired'] },
  ambiguous: { table: 'ambiguous_text', members: ['list', 'text', 'meanings'] },
  papers: {
    table: 'paper',
    members: ['doi', 'title', 'authors', 'year', 'journal', 'publisher', 'url', 'source', 'updatedAt'],
  },
};

function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the rows of a list as a table expression. Polymers and solvents share a table. */
function rowsOf(list: StoredList): RawBuilder<unknown> {
  return TABLES[list] === substances
    ? sql`(select * from substance where list = ${list}) as entry`
    : sql`${sql.table(TABLES[list].table)} as entry`;
}

/** Returns the dataset revision of the newest change to any list of names. */
export async function getReferenceHead(database: Kysely<Tables>): Promise<DatasetRevision> {
  const head = await database
    .selectFrom('dataset_head')
    .select(['dataset_id', 'reference_revision'])
    .executeTakeFirstOrThrow();
  return { datasetId: head.dataset_id, revision: head.reference_revision };
}

/** Returns the dataset revision of the newest change to any list of names up to a dataset revision. */
export async function getListsRevision(database: Kysely<Tables>, revision: number): Promise<number> {
  const newest = (await getReferenceHead(database)).revision;
  if (newest <= revision) return newest;
  const { rows } = await sql<{ last: number | null }>`
    select max(changed) as last from (
      ${sql.join(
        ['substance', 'unit', 'morphology', 'instability', 'ambiguous_text'].map(
          (table) => sql`select valid_from, valid_to from ${sql.table(table)}`,
        ),
        sql` union all `,
      )}
    ) as entry, unnest(array[valid_from, valid_to]) as changed where changed <= ${revision}`.execute(database);
  return rows[0]?.last ?? 0;
}

/** Finds the requested lists, or all, at a dataset revision, with entries in the order of their ids. Other lists are empty. */
export async function findLists(
  database: Kysely<Tables>,
  revision: number,
  requested: readonly (keyof StoredLists)[] = [],
): Promise<StoredLists> {
  const columns = NAMED_LISTS.map((list) => {
    if (requested.length > 0 && !requested.includes(list)) return sql`'[]'::json as ${sql.ref(list)}`;
    const members = TABLES[list].members.map((member) => sql`${sql.lit(member)}, ${sql.ref(columnOf(member))}`);
    const entry = sql`json_strip_nulls(json_build_object('id', entry_id, ${sql.join(members)}))`;
    return sql`(
      select coalesce(json_agg(${entry} order by entry_id), '[]') from ${rowsOf(list)}
      where valid_from <= ${revision} and (valid_to is null or valid_to > ${revision})) as ${sql.ref(list)}`;
  });
  const { rows } = await sql<StoredLists>`select ${sql.join(columns)}`.execute(database);
  const [lists] = rows;
  if (!lists) throw new Error('the query returned no row');
  return lists;
}

/** Returns the id for a new entry of a list. Ids are never reused. */
export async function nextEntryId(transaction: Transaction<Tables>, list: StoredList): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`select max(entry_id) as last from ${rowsOf(list)}`.execute(
    transaction,
  );
  return (rows[0]?.last ?? 0) + 1;
}

/** Lists the values of some members that the entries of a list ever had. */
export async function findValues(
  transaction: Transaction<Tables>,
  list: StoredList,
  members: readonly string[],
): Promise<string[][]> {
  const { rows } = await sql<{ texts: string[] }>`
    select distinct array[${sql.join(members.map((member) => sql.ref(columnOf(member))))}] as texts from ${rowsOf(list)}`.execute(
    transaction,
  );
  return rows.map(({ texts }) => texts);
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

/** Ends the current states of entries before a dataset revision. */
export async function endEntries(
  transaction: Transaction<Tables>,
  list: StoredList,
  ids: readonly number[],
  revision: number,
): Promise<void> {
  await sql`
    update ${sql.table(TABLES[list].table)} set valid_to = ${revision}
    where valid_to is null and row_id in (select row_id from ${rowsOf(list)} where entry_id = any(${ids}))`.execute(
    transaction,
  );
}

/** Inserts states of entries that are valid from a dataset revision. Values may be texts, as in a seed file. */
export async function insertEntries(
  transaction: Transaction<Tables>,
  list: StoredList,
  entries: readonly { readonly id: number }[],
  revision: number,
): Promise<void> {
  const { table, members } = TABLES[list];
  const rows = entries.map(({ id, ...values }) => ({
    list,
    ...Object.fromEntries(
      Object.entries(values).map(([member, value]: [string, unknown]) => [columnOf(member), value]),
    ),
    entry_id: id,
    valid_from: revision,
  }));
  const columns = [
    'entry_id',
    'valid_from',
    ...(TABLES[list] === substances ? ['list'] : []),
    ...members.map(columnOf),
  ];
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`
    insert into ${sql.table(table)} (${names})
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`.execute(
    transaction,
  );
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
