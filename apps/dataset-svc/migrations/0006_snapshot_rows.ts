import { type Kysely, sql } from 'kysely';

/**
 * The rows of record_revision that a personal snapshot holds, see src/dataset-log/row-list.ts. A snapshot of the release before
 * has none until this one fills them in, by the rules of that release.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table snapshot_rows (
      snapshot_id bigint primary key references snapshot on delete cascade,
      row_list bytea not null
    )`.execute(database);
  // It is compressed already.
  await sql`alter table snapshot_rows alter column row_list set storage external`.execute(database);
}
