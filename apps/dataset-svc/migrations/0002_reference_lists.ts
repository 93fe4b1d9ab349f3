import { type Kysely, sql } from 'kysely';

const VALIDITY = sql`
  row_id bigint generated always as identity primary key,
  entry_id bigint not null,
  valid_from bigint not null references dataset_revision,
  valid_to bigint references dataset_revision check (valid_to > valid_from)`;

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table substance (
      ${VALIDITY},
      list text not null check (list in ('polymers', 'solvents')),
      name text not null,
      full_name text,
      cas_number text,
      abbreviation text,
      aliases text[] not null,
      kind text not null,
      note text,
      same_as text
    )`.execute(database);
  await sql`create unique index substance_live on substance (list, entry_id) where valid_to is null`.execute(database);
  await sql`create unique index substance_live_name on substance (list, name) where valid_to is null`.execute(database);

  await sql`
    create table unit (
      ${VALIDITY},
      unit text not null,
      name text not null,
      dimension text not null,
      canonical text,
      factor double precision,
      "offset" double precision,
      aliases text[] not null
    )`.execute(database);
  await sql`create unique index unit_live on unit (entry_id) where valid_to is null`.execute(database);
  await sql`create unique index unit_live_unit on unit (unit) where valid_to is null`.execute(database);

  await sql`
    create table morphology (
      ${VALIDITY},
      category text not null,
      label text not null,
      abbreviation text,
      definition text not null,
      synonyms text[] not null
    )`.execute(database);
  await sql`create unique index morphology_live on morphology (entry_id) where valid_to is null`.execute(database);
  await sql`create unique index morphology_live_label on morphology (label) where valid_to is null`.execute(database);

  await sql`
    create table instability (
      ${VALIDITY},
      label text not null,
      category text not null,
      definition text not null,
      synonyms text[] not null
    )`.execute(database);
  await sql`create unique index instability_live on instability (entry_id) where valid_to is null`.execute(database);
  await sql`create unique index instability_live_label on instability (label) where valid_to is null`.execute(database);

  await sql`
    create table ambiguous_text (
      ${VALIDITY},
      list text not null check (list in ('polymers', 'solvents', 'units', 'morphologies', 'instabilities')),
      text text not null,
      meanings text[] not null
    )`.execute(database);
  await sql`create unique index ambiguous_text_live on ambiguous_text (list, text) where valid_to is null`.execute(
    database,
  );
}
