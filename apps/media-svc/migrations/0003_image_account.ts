import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Opaque id of the uploading account; erased when the image may no longer be unattached.
  await sql`alter table image add column account_id text`.execute(database);
  await sql`create index image_account on image (account_id, uploaded_at) where account_id is not null`.execute(
    database,
  );
}
