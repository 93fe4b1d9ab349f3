import type { RecordStatus } from '@esd/record/status/record-status';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** The time (ISO 8601 in UTC) and reason of a withdrawal. */
export interface Withdrawn {
  at: string;
  reason: string;
}

/** SQL expression for queries of `record`; null unless the record is withdrawn. */
export const withdrawnNow = sql<Withdrawn | null>`(
  select json_build_object(
    'at', to_char(withdrawal.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', withdrawal.reason
  ) from withdrawal where withdrawal.record_id = record.id and record.published_revision is null
)`;

/** Finds the newest withdrawal of a record, in force or not. */
export async function findWithdrawal(
  database: Kysely<Tables>,
  recordId: number,
): Promise<{ revision: number; publishedRevision: number } | undefined> {
  return database
    .selectFrom('withdrawal')
    .select(['revision', 'published_revision as publishedRevision'])
    .where('record_id', '=', recordId)
    .executeTakeFirst();
}

/** Stores the withdrawal of a record, replacing an earlier one. */
export async function storeWithdrawal(
  transaction: Transaction<Tables>,
  withdrawal: Tables['withdrawal'],
): Promise<void> {
  const { record_id: _, ...newest } = withdrawal;
  await transaction
    .insertInto('withdrawal')
    .values(withdrawal)
    .onConflict((on) => on.column('record_id').doUpdateSet(newest))
    .execute();
}

/** Copies a revision of a record as its next one, with a new status; the record is no longer public. */
export async function repeatRevision(
  transaction: Transaction<Tables>,
  { recordId, from, next, status }: { recordId: number; from: number; next: number; status: RecordStatus },
): Promise<void> {
  await sql`
    insert into record_revision
      (record_id, revision, data, missing_fields, warnings, author_account_id, content_hash, duplicate_hash)
    select record_id, ${next}, data, missing_fields, warnings, author_account_id, content_hash, duplicate_hash
    from record_revision where record_id = ${recordId} and revision = ${from}`.execute(transaction);
  await transaction
    .updateTable('record')
    .set({
      revision: next,
      status,
      published_revision: null,
      origin: null,
      updated_at: sql`now()`,
      status_since: sql`now()`,
    })
    .where('id', '=', recordId)
    .execute();
}
