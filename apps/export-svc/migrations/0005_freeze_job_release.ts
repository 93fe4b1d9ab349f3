import { type Kysely, sql } from 'kysely';

/** Renames the columns of a freeze job after its release. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table freeze_job rename column version_identifier to identifier`.execute(database);
  await sql`alter table freeze_job rename column version_id to release_id`.execute(database);
}
