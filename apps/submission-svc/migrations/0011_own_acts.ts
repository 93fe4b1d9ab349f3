import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index audit_actor on audit (actor_account_id, id)`.execute(database);
}
