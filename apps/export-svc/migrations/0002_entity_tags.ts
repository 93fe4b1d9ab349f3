import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Identifies a stored object without reading it; null for files stored before this migration.
  for (const table of ['built_file', 'freeze_file']) {
    await sql`alter table ${sql.table(table)} add column entity_tag text`.execute(database);
  }
}
