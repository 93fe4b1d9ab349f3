import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column network text, add column user_agent text`.execute(database);
  await sql`create index session_expires_at on session (expires_at)`.execute(database);
  await sql`alter table mail add column details jsonb, add column bundled_into uuid`.execute(database);
  await sql`
    create table two_factor (
      account_id uuid primary key references account on delete cascade,
      sealed_secret bytea not null,
      confirmed_at timestamptz,
      last_step bigint
    )
  `.execute(database);
  await sql`
    create table recovery_code (
      account_id uuid not null references two_factor on delete cascade,
      hash bytea not null,
      used_at timestamptz,
      primary key (account_id, hash)
    )
  `.execute(database);
}
