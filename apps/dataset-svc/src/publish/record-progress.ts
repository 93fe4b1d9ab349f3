import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** The newest record revision in the log that was approved or withdrew the record, and the dataset revision that contains it. */
export interface LoggedRecord {
  recordRevision: number;
  revision: number;
}

export async function findLogged(database: Kysely<Tables>, recordId: number): Promise<LoggedRecord | undefined> {
  const { rows } = await sql<LoggedRecord>`
    select record_revision as "recordRevision", revision
    from (
      select record_revision, valid_from as revision from record_revision where record_id = ${recordId}
      union all
      select record_revision, revision from withdrawal where record_id = ${recordId}
    ) as logged
    order by record_revision desc limit 1`.execute(database);
  return rows[0];
}
