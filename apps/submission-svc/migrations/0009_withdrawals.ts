import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // The newest withdrawal of each record; in force while no revision of the record is public.
  await sql`
    create table withdrawal (
      record_id bigint primary key references record on delete cascade,
      revision integer not null,
      published_revision integer not null,
      at timestamptz not null,
      reason text not null
    )`.execute(database);
}
