import { type Kysely, sql } from 'kysely';

/**
 * Adds the stored rows of personal snapshots, see src/dataset-log/row-list.ts. Older snapshots had none. The software
 * release with this migration added them, by the rules of the previous software release.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table snapshot_rows (
      snapshot_id bigint primary key references snapshot on delete cascade,
      row_list bytea not null
    )`.execute(database);
  // The list is already compressed.
  await sql`alter table snapshot_rows alter column row_list set storage external`.execute(database);
}
