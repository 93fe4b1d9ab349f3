import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
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
