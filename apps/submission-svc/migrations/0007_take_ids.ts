import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // The fixed order of the updates prevents deadlocks. The statement that stores the rows calls this function, so that other
  // submissions wait only for this statement and the commit.
  await sql`
    create function take_ids(records bigint, out submission_id bigint, out first_record_id bigint)
    language plpgsql as $$
    begin
      update last_id set value = value + 1 where name = 'submission' returning value into submission_id;
      update last_id set value = value + records where name = 'record' returning value - records + 1 into first_record_id;
    end $$`.execute(database);
}
