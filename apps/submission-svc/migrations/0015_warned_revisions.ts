import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // The counts of the review queue would otherwise read every revision.
  await sql`
    create index record_revision_warned on record_revision (record_id, revision)
    where json_array_length(warnings) > 0`.execute(database);
}
