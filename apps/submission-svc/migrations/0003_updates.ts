import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Null in older rows.
  await sql`alter table record_revision add column content_hash bytea, add column duplicate_hash bytea`.execute(
    database,
  );
  await sql`
    create index record_revision_duplicate on record_revision (duplicate_hash, record_id)
    where duplicate_hash is not null`.execute(database);
  await sql`create index record_owner_id on record (owner_account_id, id)`.execute(database);

  await sql`
    create table idempotency_key (
      key_hash bytea primary key,
      body_hash bytea not null,
      submission_id bigint not null references submission on delete cascade,
      created_at timestamptz not null default now()
    )`.execute(database);
  await sql`create index idempotency_key_submission on idempotency_key (submission_id)`.execute(database);
  await sql`create index idempotency_key_age on idempotency_key (created_at)`.execute(database);

  await sql`
    create table deleted_account (
      account_id uuid primary key,
      deleted_at timestamptz not null
    )`.execute(database);
  // The audit trail outlives records that are deleted with their account.
  await sql`alter table audit drop constraint audit_record_id_fkey`.execute(database);
}
