import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table personal_access_token (
      id bigint generated always as identity primary key,
      account_id uuid not null references account on delete cascade,
      name text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    )
  `.execute(database);
  await sql`create index personal_access_token_account_id on personal_access_token (account_id)`.execute(database);
  await sql`
    create table personal_access_token_secret (
      hash bytea primary key,
      token_id bigint not null references personal_access_token on delete cascade,
      prefix text not null,
      replaced_at timestamptz
    )
  `.execute(database);
  await sql`
    create index personal_access_token_secret_token_id on personal_access_token_secret (token_id)
  `.execute(database);
  await sql`
    create unique index personal_access_token_secret_current on personal_access_token_secret (token_id)
    where replaced_at is null
  `.execute(database);
}
