import { type Kysely, sql } from 'kysely';

/**
 * What the read index is filled from says by which rules it was made; a release that does not know the column leaves it empty,
 * and its rows are made again.
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
