import { type Kysely, sql } from 'kysely';

/**
 * The SHA-256 of each row of record_revision, apart from it, so that the rows of the release before need not be written again.
 * They are hashed by a job, and those of a copy of that release, which writes none, too.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table record_hash (
      row_id bigint primary key references record_revision,
      sha256 bytea not null check (octet_length(sha256) = 32)
    )`.execute(database);
}
