import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // The tag identifies a stored object without reading it. It is null for files stored before this migration.
  for (const table of ['built_file', 'freeze_file']) {
    await sql`alter table ${sql.table(table)} add column entity_tag text`.execute(database);
  }
}
