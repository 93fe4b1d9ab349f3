import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table account add column registered_again boolean not null default false`.execute(database);
  await sql`
    create table mail (
      id uuid primary key,
      kind text not null,
      account_id uuid references account on delete cascade,
      email_normalized text,
      decisions jsonb,
      event_key bytea unique,
      created_at timestamptz not null default now(),
      attempts integer not null default 0,
      next_try_at timestamptz not null default now(),
      sent_at timestamptz,
      given_up_at timestamptz,
      last_error text,
      check ((account_id is null) <> (email_normalized is null))
    )
  `.execute(database);
  await sql`
    create index mail_waiting on mail (next_try_at) where sent_at is null and given_up_at is null
  `.execute(database);
  await sql`create index mail_account_id on mail (account_id)`.execute(database);
  await sql`create index mail_created_at on mail (created_at)`.execute(database);
  await sql`
    create table mail_token (
      token_hash bytea primary key,
      purpose text not null check (purpose in ('verify-email', 'set-password')),
      account_id uuid not null references account on delete cascade,
      mail_id uuid not null references mail on delete cascade,
      expires_at timestamptz not null,
      used_at timestamptz
    )
  `.execute(database);
  await sql`create index mail_token_account_id on mail_token (account_id)`.execute(database);
  await sql`create index mail_token_mail_id on mail_token (mail_id)`.execute(database);
  await sql`create table account_tombstone (account_id uuid primary key, deleted_at timestamptz not null)`.execute(
    database,
  );
  await sql`
    create table outbox (
      id uuid primary key,
      sequence bigint generated always as identity,
      subject text not null,
      body bytea not null,
      created_at timestamptz not null default now(),
      published_at timestamptz
    )
  `.execute(database);
  await sql`create index outbox_unpublished on outbox (sequence) where published_at is null`.execute(database);
}
