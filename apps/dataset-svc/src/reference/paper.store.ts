import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { PaperFacts, PaperSource } from '@esd/record/papers/paper';
import { type ExpressionBuilder, type Kysely, sql, type Selectable } from 'kysely';
import type { Tables } from '../tables.ts';

/** An entry of the list of papers. */
export interface PaperEntry extends PaperFacts {
  id: number;
  source: PaperSource;
  updatedAt: Date;
}

export interface PapersQuery {
  revision: number;
  /** Compared regardless of case. */
  doi?: string | undefined;
  /** A part of the title, an author, the journal or the DOI, regardless of case. */
  query?: string | undefined;
  /** The page begins after this DOI. */
  after?: string | undefined;
  skip: number;
  limit: number;
}

/** Returns the dataset revision of the newest change to the list of papers; 0 without a change. */
export async function getPapersHead(database: Kysely<Tables>): Promise<DatasetRevision> {
  const row = await database
    .selectFrom('dataset_head')
    .select('dataset_id')
    .select((on) =>
      on
        .selectFrom('paper')
        .select(({ fn }) => fn.max('valid_from').as('last'))
        .as('changed'),
    )
    .select((on) =>
      on
        .selectFrom('paper')
        .select(({ fn }) => fn.max('valid_to').as('last'))
        .as('ended'),
    )
    .executeTakeFirstOrThrow();
  return { datasetId: row.dataset_id, revision: Math.max(row.changed ?? 0, row.ended ?? 0) };
}

function validAt(revision: number) {
  return (on: ExpressionBuilder<Tables, 'paper'>) =>
    on.and([on('valid_from', '<=', revision), on.or([on('valid_to', 'is', null), on('valid_to', '>', revision)])]);
}

/** Finds a page of the list at a dataset revision, in the code point order of the DOIs, with the total number. */
export async function findPapers(
  database: Kysely<Tables>,
  { revision, doi, query, after, skip, limit }: PapersQuery,
): Promise<{ papers: PaperEntry[]; total: number }> {
  let matching = database.selectFrom('paper').where(validAt(revision));
  if (doi !== undefined) matching = matching.where(sql`lower(doi)`, '=', doi.toLowerCase());
  if (query !== undefined) {
    const part = query.toLowerCase();
    matching = matching.where(
      sql<boolean>`strpos(lower(concat_ws(' ', title, journal, doi)), ${part}) > 0 or exists (
        select from jsonb_array_elements(authors) as author where strpos(lower(concat_ws(
          ' ', author->>'given', author->>'family', author->>'given', author->>'name')), ${part}) > 0)`,
    );
  }
  if (after !== undefined) matching = matching.where(sql`doi collate "C"`, '>', after);
  const { total } = await matching.select((on) => on.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy(sql`doi collate "C"`)
    .offset(skip)
    .limit(limit)
    .execute();
  return { papers: rows.map(entryOf), total };
}

/** Finds the entries of papers at a dataset revision, by DOI. */
export async function findPapersOf(
  database: Kysely<Tables>,
  dois: readonly string[],
  revision: number,
): Promise<Map<string, PaperEntry>> {
  const rows = await database
    .selectFrom('paper')
    .selectAll()
    .where('doi', '=', sql<string>`any(${dois})`)
    .where(validAt(revision))
    .execute();
  return new Map(rows.map((row) => [row.doi, entryOf(row)]));
}

/** Finds the current entry with an id. */
export async function findPaper(database: Kysely<Tables>, id: number): Promise<PaperEntry | undefined> {
  const row = await database
    .selectFrom('paper')
    .selectAll()
    .where('entry_id', '=', id)
    .where('valid_to', 'is', null)
    .executeTakeFirst();
  return row && entryOf(row);
}

/** The values of a paper from one dataset revision until before another. */
export interface PaperVersion {
  doi: string;
  year: number | null;
  journal: string | null;
  validFrom: number;
  validTo: number | null;
}

/** Lists the versions of entries that began or ended after revision `after` and up to `upTo`, in their state at `upTo`. */
export async function changedPapers(database: Kysely<Tables>, after: number, upTo: number): Promise<PaperVersion[]> {
  const within = (on: ExpressionBuilder<Tables, 'paper'>, column: 'valid_from' | 'valid_to') =>
    on.and([on(column, '>', after), on(column, '<=', upTo)]);
  const rows = await database
    .selectFrom('paper')
    .select(['doi', 'year', 'journal', 'valid_from as validFrom', 'valid_to as validTo'])
    .where((on) => on.or([within(on, 'valid_from'), within(on, 'valid_to')]))
    .orderBy('valid_from')
    .execute();
  return rows.map((row) => (row.validTo !== null && row.validTo > upTo ? { ...row, validTo: null } : row));
}

function entryOf(row: Selectable<Tables['paper']>): PaperEntry {
  return {
    id: row.entry_id,
    doi: row.doi,
    title: row.title,
    authors: row.authors,
    year: row.year ?? undefined,
    journal: row.journal ?? undefined,
    publisher: row.publisher ?? undefined,
    url: row.url ?? undefined,
    source: row.source,
    updatedAt: row.updated_at,
  };
}
