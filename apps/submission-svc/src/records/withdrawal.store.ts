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

/** Stores the withdrawals of records, replacing earlier ones. */
export async function storeWithdrawals(
  transaction: Transaction<Tables>,
  withdrawals: readonly Tables['withdrawal'][],
): Promise<void> {
  await transaction
    .insertInto('withdrawal')
    .values(withdrawals)
    .onConflict((on) =>
      on.column('record_id').doUpdateSet(({ ref }) => ({
        revision: ref('excluded.revision'),
        published_revision: ref('excluded.published_revision'),
        at: ref('excluded.at'),
        reason: ref('excluded.reason'),
      })),
    )
    .execute();
}

/** Copies a revision of each record as its next one, with a new status; the records are no longer public. */
export async function repeatRevisions(
  transaction: Transaction<Tables>,
  copies: readonly { recordId: number; from: number; next: number }[],
  status: RecordStatus,
): Promise<void> {
  const copied = sql`unnest(${copies.map(({ recordId }) => recordId)}::bigint[],
    ${copies.map(({ from }) => from)}::integer[], ${copies.map(({ next }) => next)}::integer[])
    as copied (record_id, source, next)`;
  await sql`
    insert into record_revision
      (record_id, revision, data, missing_fields, warnings, author_account_id, content_hash, duplicate_hash)
    select record_id, next, data, missing_fields, warnings, author_account_id, content_hash, duplicate_hash
    from ${copied} join record_revision using (record_id) where revision = source`.execute(transaction);
  await sql`
    update record set revision = next, status = ${status}, published_revision = null, origin = null, updated_at = now(),
      status_since = now()
    from ${copied} where record.id = copied.record_id`.execute(transaction);
}
