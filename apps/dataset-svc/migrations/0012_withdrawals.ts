import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table withdrawal (
      record_id bigint not null,
      record_revision integer not null,
      revision bigint not null references dataset_revision,
      withdrawn_at timestamptz not null,
      reason text not null,
      primary key (record_id, record_revision)
    )`.execute(database);
}
