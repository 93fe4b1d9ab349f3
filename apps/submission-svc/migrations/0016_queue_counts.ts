import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // A message of an owner is unread until a moderator decides. The counts of the review queue test this for every thread.
  await sql`
    create index audit_decision on audit (record_id, at)
    where action in ('approve', 'reject', 'withdraw', 'restore', 'reopen')`.execute(database);
  // Otherwise, PostgreSQL expects warnings in a third of the revisions, and looks up each record instead of hashing them.
  await sql`
    create statistics record_revision_warnings on (json_array_length(warnings)) from record_revision`.execute(database);
}
