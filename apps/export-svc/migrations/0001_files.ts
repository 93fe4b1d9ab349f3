import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Files that can be rebuilt: of latest, with a filter, or of a personal snapshot.
  await sql`
    create table built_file (
      key text primary key,
      format text not null,
      lease_id uuid,
      lease_until timestamptz,
      bytes bigint,
      sha256 text,
      created_at timestamptz not null default now(),
      used_at timestamptz not null default now(),
      check ((bytes is null) = (sha256 is null)),
      check ((lease_id is null) = (lease_until is null))
    )`.execute(database);
  await sql`create index built_file_used on built_file (used_at) where bytes is not null`.execute(database);

  await sql`
    create table freeze_job (
      id uuid primary key,
      version_identifier text not null,
      description text,
      doi text,
      license text,
      account_id uuid not null,
      state text not null check (state in ('BUILDING', 'FROZEN', 'FAILING', 'FAILED')),
      version_id bigint,
      dataset_id uuid,
      revision bigint,
      record_count bigint,
      reserved_at timestamptz,
      digest text,
      failure text,
      lease_id uuid,
      lease_until timestamptz,
      try_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      ended_at timestamptz,
      check ((lease_id is null) = (lease_until is null))
    )`.execute(database);
  // At most one job per identifier that has not failed.
  await sql`
    create unique index freeze_job_identifier on freeze_job (version_identifier)
    where state <> 'FAILED'`.execute(database);
  await sql`create index freeze_job_open on freeze_job (try_at) where state in ('BUILDING', 'FAILING')`.execute(
    database,
  );

  // Files of releases, which are never deleted or replaced.
  await sql`
    create table freeze_file (
      job_id uuid not null references freeze_job,
      format text not null,
      object_key text not null,
      bytes bigint not null,
      sha256 text not null,
      stored_at timestamptz not null default now(),
      primary key (job_id, format)
    )`.execute(database);

  await sql`
    create table usage_counter (
      name text primary key check (name in ('views', 'downloads')),
      value bigint not null
    )`.execute(database);
  await sql`insert into usage_counter values ('views', 0), ('downloads', 0)`.execute(database);

  await sql`
    create table outbox (
      id uuid primary key,
      sequence bigint generated always as identity,
      subject text not null,
      body bytea not null,
      created_at timestamptz not null default now(),
      published_at timestamptz
    )`.execute(database);
  await sql`create index outbox_unpublished on outbox (sequence) where published_at is null`.execute(database);
}
