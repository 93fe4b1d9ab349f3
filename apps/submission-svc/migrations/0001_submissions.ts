import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Unlike a sequence, this table leaves no gap in the ids when a transaction is rolled back.
  await sql`
    create table last_id (
      name text primary key,
      value bigint not null
    )`.execute(database);
  await sql`insert into last_id values ('submission', 0), ('record', 0)`.execute(database);

  await sql`
    create table submission (
      id bigint primary key,
      owner_account_id uuid,
      credential text not null check (credential in ('anonymous', 'session', 'pat')),
      image_only boolean not null,
      research_metadata json not null,
      submitted_at timestamptz not null default now()
    )`.execute(database);
  await sql`create index submission_owner on submission (owner_account_id)`.execute(database);

  // Personal data, in a separate table so that it can be erased.
  await sql`
    create table submitter (
      submission_id bigint primary key references submission on delete cascade,
      user_metadata json not null
    )`.execute(database);

  await sql`
    create table record (
      id bigint primary key,
      submission_id bigint not null references submission,
      owner_account_id uuid,
      status text not null check (status in ('PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE')),
      revision integer not null,
      published_revision integer check (published_revision <= revision),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(database);
  await sql`create index record_submission on record (submission_id)`.execute(database);
  await sql`create index record_owner on record (owner_account_id, status)`.execute(database);
  await sql`create index record_status on record (status, id)`.execute(database);

  await sql`
    create table record_revision (
      record_id bigint not null references record,
      revision integer not null,
      data json not null,
      missing_fields text[] not null,
      warnings json not null,
      author_account_id uuid,
      created_at timestamptz not null default now(),
      primary key (record_id, revision)
    )`.execute(database);

  await sql`
    create table audit (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      actor_account_id uuid,
      action text not null,
      record_id bigint not null references record,
      record_revision integer not null,
      reason text,
      request_id text not null
    )`.execute(database);
  await sql`create index audit_record on audit (record_id)`.execute(database);
}
