import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Unlogged, because a loss in a crash only allows a few more guesses.
  await sql`
    create unlogged table login_guess (
      key bytea primary key,
      wrong integer not null,
      last_at timestamptz not null default now()
    )
  `.execute(database);
  await sql`create index login_guess_last_at on login_guess (last_at)`.execute(database);
  await sql`
    create table known_login_place (
      place bytea primary key,
      account_id uuid not null references account on delete cascade,
      last_at timestamptz not null default now()
    )
  `.execute(database);
  await sql`create index known_login_place_account_id on known_login_place (account_id)`.execute(database);
  await sql`create index known_login_place_last_at on known_login_place (last_at)`.execute(database);
}
