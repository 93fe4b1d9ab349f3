import { type Kysely, sql } from 'kysely';

/** Renames the table and the column of the client addresses from which an account has logged in. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table known_login_place rename to known_login_network`.execute(database);
  await sql`alter table known_login_network rename column place to network_hash`.execute(database);
  await sql`alter index known_login_place_account_id rename to known_login_network_account_id`.execute(database);
  await sql`alter index known_login_place_last_at rename to known_login_network_last_at`.execute(database);
}
