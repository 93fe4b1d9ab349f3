import { type Kysely, sql } from 'kysely';

/** Adds releases, personal snapshots, and deleted accounts. A trigger protects the data of frozen releases. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table version (
      id bigint generated always as identity primary key,
      identifier text not null unique,
      state text not null check (state in ('BUILDING', 'FROZEN', 'FAILED')),
      job_id uuid not null unique,
      revision bigint not null references dataset_revision,
      record_count bigint not null,
      created_at timestamptz not null,
      frozen_at timestamptz,
      doi text unique,
      license text,
      description text,
      digest text,
      files jsonb,
      failure text,
      check ((state = 'FROZEN') = (frozen_at is not null and digest is not null and files is not null)),
      check ((state = 'FAILED') = (failure is not null))
    )`.execute(database);
  await sql`
    create function keep_frozen_version() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' or
        (new.id, new.identifier, new.state, new.job_id, new.revision, new.record_count, new.created_at, new.frozen_at,
         new.digest, new.files) is distinct from
        (old.id, old.identifier, old.state, old.job_id, old.revision, old.record_count, old.created_at, old.frozen_at,
         old.digest, old.files)
      then
        raise exception 'version % is frozen', old.identifier;
      end if;
      return new;
    end $$`.execute(database);
  await sql`
    create trigger keep_frozen_version before update or delete on version
    for each row when (old.state = 'FROZEN') execute function keep_frozen_version()`.execute(database);

  await sql`
    create table version_change (
      id bigint generated always as identity primary key,
      version_id bigint not null references version,
      at timestamptz not null default now(),
      account_id uuid,
      request_id text not null,
      action text not null check (action in ('reserve', 'freeze', 'fail', 'describe')),
      details jsonb not null
    )`.execute(database);
  await sql`create index version_change_version on version_change (version_id)`.execute(database);

  await sql`
    create table snapshot (
      id bigint generated always as identity primary key,
      owner_account_id uuid not null,
      name text not null,
      description text,
      filter text not null,
      revision bigint not null references dataset_revision,
      record_count bigint not null,
      created_at timestamptz not null default now()
    )`.execute(database);
  await sql`create index snapshot_owner on snapshot (owner_account_id, id)`.execute(database);

  await sql`
    create table deleted_account (
      account_id uuid primary key,
      deleted_at timestamptz not null
    )`.execute(database);
}
