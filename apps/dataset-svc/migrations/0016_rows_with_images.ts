import { type Kysely, sql } from 'kysely';

/** Lists the rows of the log that have images. A body has the unescaped text only as its member. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create index record_revision_with_images on record_revision (valid_from)
      where body like '%"fiberImages":[{%'`.execute(database);
}
