import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // For what the image is kept although no record has it yet, or while its record is edited; since `since`.
  await sql`alter table image add column reserved_for text check (length(reserved_for) <= 100)`.execute(database);
  await sql`create index image_reserved on image (since) where reserved_for is not null`.execute(database);
}
