import { type Kysely, sql } from 'kysely';

/**
 * Adds the number of the rules by which a row of the read index was derived. A software release without the column leaves it null, and
 * such rows are derived again.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table index_row
      add column field_strength double precision,
      add column not_convertible bigint,
      add column published_at timestamptz,
      add column rules integer`.execute(database);
  await sql`create index index_row_rules on index_row (rules)`.execute(database);
}
