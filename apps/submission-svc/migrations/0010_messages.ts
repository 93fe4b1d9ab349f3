import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table message (
      id bigint generated always as identity primary key,
      record_id bigint not null references record on delete cascade,
      from_owner boolean not null,
      author_account_id uuid,
      text text not null,
      created_at timestamptz not null default now()
    )`.execute(database);
  await sql`create index message_record on message (record_id, id)`.execute(database);
  await sql`create index message_author on message (author_account_id)`.execute(database);
}
