import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Keyed hash of the network of a record without an account; null once it is erased.
  await sql`alter table record add column origin text, add column erased_at timestamptz`.execute(database);
  await sql`create index record_origin on record (origin, status, id) where origin is not null`.execute(database);
  // Only records that are not erased yet.
  await sql`
    create index record_to_erase on record (status_since)
    where status = 'REJECTED' and owner_account_id is null and published_revision is null and erased_at is null
  `.execute(database);
  await sql`
    create index submission_anonymous on submission (submitted_at) where credential = 'anonymous'`.execute(database);

  // Like the origin of a record; signed_in does not identify the account.
  await sql`
    alter table feedback add column sender text, add column signed_in boolean not null default false
  `.execute(database);
  await sql`
    create index feedback_open on feedback (sender, signed_in, submitted_at, image_bytes) where state <> 'CLOSED'
  `.execute(database);
  await sql`create index feedback_closed on feedback (changed_at) where state = 'CLOSED'`.execute(database);
  await sql`
    create table feedback_audit (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      actor_account_id uuid,
      action text not null,
      feedback_id bigint not null,
      request_id text not null
    )`.execute(database);
}
