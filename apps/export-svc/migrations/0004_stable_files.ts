import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // A bigint, because a CRC-32 is unsigned. It is null for files stored before this migration.
  for (const table of ['built_file', 'freeze_file']) {
    await sql`alter table ${sql.table(table)} add column crc32 bigint`.execute(database);
  }
  await sql`alter table freeze_file add column columns text`.execute(database);
}
