import { type Kysely, sql } from 'kysely';

/**
 * Adds the SHA-256 of each row of record_revision, in a separate table so that existing rows are not rewritten. A job hashed rows that
 * replicas of the previous software release had written without a hash.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table record_hash (
      row_id bigint primary key references record_revision,
      sha256 bytea not null check (octet_length(sha256) = 32)
    )`.execute(database);
}
