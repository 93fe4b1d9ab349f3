import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // An event has the time of the decision that wrote it.
  await sql`create index outbox_created on outbox (created_at)`.execute(database);
}
