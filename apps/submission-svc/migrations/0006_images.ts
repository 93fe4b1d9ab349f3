import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Queries for images would otherwise parse whole records.
  await sql`
    alter table record_revision add column image_ids jsonb not null generated always as (
      coalesce(jsonb_path_query_array((data -> 'fiberImages')::jsonb, '$[*].imageId'), '[]')
    ) stored`.execute(database);
  await sql`
    create index record_revision_images on record_revision using gin (image_ids) where image_ids <> '[]'`.execute(
    database,
  );
}
