import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table dataset_head (
      only_row boolean primary key default true check (only_row),
      dataset_id uuid not null default gen_random_uuid(),
      revision bigint not null default 0,
      record_count bigint not null default 0,
      reference_revision bigint not null default 0
    )`.execute(database);
  await sql`insert into dataset_head default values`.execute(database);

  await sql`
    create table dataset_revision (
      revision bigint primary key,
      record_count bigint not null,
      committed_at timestamptz not null default now()
    )`.execute(database);

  await sql`
    create table record_revision (
      row_id bigint generated always as identity primary key,
      record_id bigint not null,
      record_revision integer not null,
      valid_from bigint not null references dataset_revision,
      valid_to bigint references dataset_revision check (valid_to > valid_from),
      body text not null,
      approved_at timestamptz not null,
      unique (record_id, record_revision)
    )`.execute(database);
  await sql`create unique index record_revision_live on record_revision (record_id) where valid_to is null`.execute(
    database,
  );
  await sql`create index record_revision_valid_from on record_revision (valid_from)`.execute(database);
  await sql`create index record_revision_valid_to on record_revision (valid_to) where valid_to is not null`.execute(
    database,
  );
}
