import { type Kysely, sql } from 'kysely';

/** Adds the list of papers, the state of the lookups of DOIs, and which index rows give a title. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table paper (
      row_id bigint generated always as identity primary key,
      entry_id bigint not null,
      valid_from bigint not null references dataset_revision,
      valid_to bigint references dataset_revision check (valid_to > valid_from),
      doi text not null,
      title text not null,
      authors jsonb not null,
      year integer,
      journal text,
      publisher text,
      url text,
      source text not null check (source in ('entered', 'imported', 'resolver')),
      updated_at timestamptz not null default now()
    )`.execute(database);
  await sql`create unique index paper_live on paper (entry_id) where valid_to is null`.execute(database);
  await sql`create unique index paper_live_doi on paper (doi) where valid_to is null`.execute(database);
  await sql`create index paper_doi on paper (doi, valid_from)`.execute(database);
  await sql`create index paper_valid_from on paper (valid_from)`.execute(database);
  await sql`create index paper_valid_to on paper (valid_to)`.execute(database);
  await sql`
    create table paper_lookup (
      doi text primary key,
      attempts integer not null,
      last_at timestamptz not null,
      next_at timestamptz,
      problem text
    )`.execute(database);
  await sql`alter table reference_change drop constraint reference_change_list_check`.execute(database);
  await sql`
    alter table reference_change add constraint reference_change_list_check
    check (list in ('polymers', 'solvents', 'units', 'morphologies', 'instabilities', 'papers'))`.execute(database);
  await sql`alter table index_row add column has_title boolean`.execute(database);
  await sql`create index index_row_title on index_row (doi, record_id) where has_title`.execute(database);
}
