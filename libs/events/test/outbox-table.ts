import { type Kysely, sql } from 'kysely';
import type { OutboxTables } from '../src/outbox.ts';

/** Creates the outbox table as the migrations of the services leave it. */
export async function createOutbox(database: Kysely<OutboxTables>): Promise<void> {
  await sql`
    create table outbox (
      id uuid primary key,
      sequence bigint generated always as identity,
      subject text not null,
      body bytea not null,
      created_at timestamptz not null default now(),
      published_at timestamptz,
      traceparent text
    )`.execute(database);
}
