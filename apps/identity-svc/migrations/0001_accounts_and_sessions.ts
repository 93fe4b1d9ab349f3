import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table account (
      id uuid primary key,
      email text not null,
      email_normalized text not null unique,
      password_hash text not null,
      role text not null check (role in ('USER', 'MODERATOR', 'ADMIN')),
      enabled boolean not null default true,
      email_verified boolean not null,
      name text not null,
      orcid text,
      created_at timestamptz not null default now()
    )
  `.execute(database);
  await sql`
    create table session (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      remember_me boolean not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      ended_at timestamptz
    )
  `.execute(database);
  await sql`create index session_account_id on session (account_id)`.execute(database);
  await sql`
    create table refresh_token (
      token_hash bytea primary key,
      session_id uuid not null references session on delete cascade,
      expires_at timestamptz not null,
      used_at timestamptz
    )
  `.execute(database);
  await sql`create index refresh_token_session_id on refresh_token (session_id)`.execute(database);
}
