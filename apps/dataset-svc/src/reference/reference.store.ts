import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Instability, Morphology, Substance, Unit } from '@esd/proto/esd/dataset/v1/reference';
import type { Tables } from '../tables.ts';
import type { AmbiguousTextTable, SubstanceTable } from './reference.table.ts';

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
  list: AmbiguousTextTable['list'];
  text: string;
  meanings: string[];
}

/** Returns the dataset revision of the newest change to any list. */
export async function getReferenceHead(database: Kysely<Tables>): Promise<DatasetRevision> {
  const head = await database
    .selectFrom('dataset_head')
    .select(['dataset_id', 'reference_revision'])
    .executeTakeFirstOrThrow();
  return { datasetId: head.dataset_id, revision: head.reference_revision };
}

/** Returns the dataset revision of the newest change to any list up to a dataset revision. */
export async function getListsRevision(database: Kysely<Tables>, revision: number): Promise<number> {
  const newest = (await getReferenceHead(database)).revision;
  if (newest <= revision) return newest;
  const { rows } = await sql<{ last: number | null }>`
    select max(changed) as last from (
      ${sql.join(
        (['substance', 'unit', 'morphology', 'instability', 'ambiguous_text'] as const).map(
          (table) => sql`select valid_from, valid_to from ${sql.table(table)}`,
        ),
        sql` union all `,
      )}
    ) as entry, unnest(array[valid_from, valid_to]) as changed where changed <= ${revision}`.execute(database);
  return rows[0]?.last ?? 0;
}

/** Finds the requested lists at a dataset revision, with entries in the order of their ids. Other lists are empty. */
export async function findLists(
  database: Kysely<Tables>,
  revision: number,
  requested: readonly (keyof StoredLists)[] = [],
): Promise<StoredLists> {
  const wanted = (list: keyof StoredLists): boolean => requested.length === 0 || requested.includes(list);
  // Sequential, because `database` may be a transaction with one connection.
  return {
    polymers: wanted('polymers') ? await findSubstances(database, revision, 'polymers') : [],
    solvents: wanted('solvents') ? await findSubstances(database, revision, 'solvents') : [],
    units: wanted('units') ? await findUnits(database, revision) : [],
    morphologies: wanted('morphologies') ? await findMorphologies(database, revision) : [],
    instabilities: wanted('instabilities') ? await findInstabilities(database, revision) : [],
    ambiguous: wanted('ambiguous') ? await findAmbiguousTexts(database, revision) : [],
  };
}

interface ValidityColumns {
  valid_from: number;
  valid_to: number | null;
}

function validAt(revision: number) {
  return (on: ExpressionBuilder<{ entry: ValidityColumns }, 'entry'>) =>
    on.and([
      on('entry.valid_from', '<=', revision),
      on.or([on('entry.valid_to', 'is', null), on('entry.valid_to', '>', revision)]),
    ]);
}

async function findSubstances(
  database: Kysely<Tables>,
  revision: number,
  list: SubstanceTable['list'],
): Promise<Substance[]> {
  const rows = await database
    .selectFrom('substance as entry')
    .selectAll()
    .where('list', '=', list)
    .where(validAt(revision))
    .orderBy('entry_id')
    .execute();
  return rows.map((row) => ({
    id: row.entry_id,
    name: row.name,
    fullName: row.full_name ?? undefined,
    casNumber: row.cas_number ?? undefined,
    abbreviation: row.abbreviation ?? undefined,
    aliases: row.aliases,
    kind: row.kind,
    note: row.note ?? undefined,
    sameAs: row.same_as ?? undefined,
    retired: row.retired,
    inchiKey: row.inchi_key ?? undefined,
    pubchemCid: row.pubchem_cid ?? undefined,
  }));
}

async function findUnits(database: Kysely<Tables>, revision: number): Promise<Unit[]> {
  const rows = await database
    .selectFrom('unit as entry')
    .selectAll()
    .where(validAt(revision))
    .orderBy('entry_id')
    .execute();
  return rows.map((row) => ({
    id: row.entry_id,
    unit: row.unit,
    name: row.name,
    dimension: row.dimension,
    canonical: row.canonical ?? undefined,
    factor: row.factor ?? undefined,
    offset: row.offset ?? undefined,
    aliases: row.aliases,
    retired: row.retired,
    ucumCode: row.ucum_code ?? undefined,
    qudtUri: row.qudt_uri ?? undefined,
  }));
}

async function findMorphologies(database: Kysely<Tables>, revision: number): Promise<Morphology[]> {
  const rows = await database
    .selectFrom('morphology as entry')
    .selectAll()
    .where(validAt(revision))
    .orderBy('entry_id')
    .execute();
  return rows.map(({ entry_id, category, label, abbreviation, definition, synonyms, retired }) => ({
    id: entry_id,
    category,
    label,
    abbreviation: abbreviation ?? undefined,
    definition,
    synonyms,
    retired,
  }));
}

async function findInstabilities(database: Kysely<Tables>, revision: number): Promise<Instability[]> {
  const rows = await database
    .selectFrom('instability as entry')
    .selectAll()
    .where(validAt(revision))
    .orderBy('entry_id')
    .execute();
  return rows.map(({ entry_id, label, category, definition, synonyms, retired }) => ({
    id: entry_id,
    label,
    category,
    definition,
    synonyms,
    retired,
  }));
}

async function findAmbiguousTexts(database: Kysely<Tables>, revision: number): Promise<StoredAmbiguousText[]> {
  const rows = await database
    .selectFrom('ambiguous_text as entry')
    .selectAll()
    .where(validAt(revision))
    .orderBy('entry_id')
    .execute();
  return rows.map((row) => ({ id: row.entry_id, list: row.list, text: row.text, meanings: row.meanings }));
}
