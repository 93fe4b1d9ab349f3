import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table record add column status_since timestamptz not null default now()`.execute(database);
  await sql`update record set status_since = updated_at`.execute(database);
  await sql`create index record_queue on record (status, status_since, id)`.execute(database);
  // For the review queue, which would otherwise parse whole records.
  await sql`
    alter table record_revision add column polymers jsonb not null generated always as (
      coalesce(
        jsonb_path_query_array((data #> '{polymerProperty,polymerComponents}')::jsonb, '$[*].polymerName'),
        '[]'
      )
    ) stored`.execute(database);
  await sql`
    create index submitter_said_public on submitter (submission_id)
    where (user_metadata ->> 'showPublicly') is not null`.execute(database);
}
