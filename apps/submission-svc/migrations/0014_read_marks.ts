import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // The newest message of a thread that its owner, or any moderator, has marked as read.
  await sql`
    create table read_mark (
      record_id bigint not null references record on delete cascade,
      by_owner boolean not null,
      message_id bigint not null,
      primary key (record_id, by_owner)
    )`.execute(database);
}
