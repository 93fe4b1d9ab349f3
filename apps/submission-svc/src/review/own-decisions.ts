import type { RecordStatus } from '@esd/record/status/record-status';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

export interface OwnDecision {
  id: number;
  at: Date;
  action: Tables['audit']['action'];
  reason: string | null;
  /** Null if the decision cannot be undone. */
  undoUntil: Date | null;
  undoneAt: Date | null;
  records: DecidedRecord[];
}

interface DecidedRecord {
  recordId: number;
  revision: number;
  /** Null if the record was deleted, as is `newestRevision`. */
  status: RecordStatus | null;
  newestRevision: number | null;
  published: boolean;
  withdrawn: boolean;
}

/** Bounds a page, because a bulk decision has up to 1,000 records. */
const MAX_RECORDS = 50_000;

/**
 * Returns a page of an account's decisions on records, newest first, and their total. Throws INVALID_PARAMETER if the page
 * has more than 50,000 records.
 */
export async function findOwnDecisions(
  database: Kysely<Tables>,
  accountId: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ decisions: OwnDecision[]; total: number }> {
  const listed = sql`(
    select id, at, action, reason, undone_at as "undoneAt",
      case when undone_at is null and undo_until > now() then undo_until end as "undoUntil"
    from decision where account_id = ${accountId}
    union all
    select id, at, action, reason, null, null from audit
    where actor_account_id = ${accountId} and decision_id is null
      and action in ('approve', 'reject', 'withdraw', 'restore', 'reopen')
  ) as listed`;
  const { rows: decisions } = await sql<Omit<OwnDecision, 'records'>>`
    select * from ${listed} order by id desc offset ${skip} limit ${limit}`.execute(database);
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${listed}`.execute(database);
  const ids = decisions.map(({ id }) => id);
  const { rows: records } = await sql<DecidedRecord & { id: number }>`
    select coalesce(audit.decision_id, audit.id) as id, audit.record_id as "recordId", audit.record_revision as revision,
      record.status, record.revision as "newestRevision",
      record.published_revision is not null as published,
      record.published_revision is null and withdrawal.record_id is not null as withdrawn
    from audit
    left join record on record.id = audit.record_id
    left join withdrawal on withdrawal.record_id = record.id
    where audit.id = any(${ids}::bigint[])
      or (audit.decision_id = any(${ids}::bigint[]) and audit.action in ('approve', 'reject'))
    order by audit.record_id limit ${MAX_RECORDS + 1}`.execute(database);
  if (records.length > MAX_RECORDS) {
    const message = `The ${ids.length} decisions have more than ${MAX_RECORDS} records; request fewer with \`limit\`.`;
    throw new ServiceError('INVALID_PARAMETER', message);
  }
  const byDecision = Map.groupBy(records, ({ id }) => id);
  return {
    decisions: decisions.map((decision) => ({ ...decision, records: byDecision.get(decision.id) ?? [] })),
    total: rows[0]?.total ?? 0,
  };
}
