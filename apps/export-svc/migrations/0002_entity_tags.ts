import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Tells a stored object from any other under its key, without reading it; null where the release before stored it.
  for (const table of ['built_file', 'freeze_file']) {
    await sql`alter table ${sql.table(table)} add column entity_tag text`.execute(database);
  }
}
