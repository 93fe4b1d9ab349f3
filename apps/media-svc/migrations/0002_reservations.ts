import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Name of the reservation, made at `since`, for a record that is about to be stored or edited.
  await sql`alter table image add column reserved_for text check (length(reserved_for) <= 100)`.execute(database);
  await sql`create index image_reserved on image (since) where reserved_for is not null`.execute(database);
}
