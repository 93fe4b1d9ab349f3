import type { RecordStatus } from '@esd/record/status/record-status';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

export interface OwnDecision {
  id: number;
  at: Date;
  action: Tables['audit']['action'];
  recordId: number;
  revision: number;
  reason: string | null;
  /** Null if the record was deleted, as is `newestRevision`. */
  status: RecordStatus | null;
  newestRevision: number | null;
  published: boolean;
  withdrawn: boolean;
}

/** Returns a page of an account's decisions on records, newest first, and their total. */
export async function findOwnDecisions(
  database: Kysely<Tables>,
  accountId: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ decisions: OwnDecision[]; total: number }> {
  const own = sql`
    actor_account_id = ${accountId} and action in ('approve', 'reject', 'withdraw', 'restore', 'reopen')`;
  const { rows: decisions } = await sql<OwnDecision>`
    select audit.id, audit.at, audit.action, audit.record_id as "recordId", audit.record_revision as revision, audit.reason,
      record.status, record.revision as "newestRevision",
      record.published_revision is not null as published,
      record.published_revision is null and withdrawal.record_id is not null as withdrawn
    from audit
    left join record on record.id = audit.record_id
    left join withdrawal on withdrawal.record_id = record.id
    where ${own}
    order by audit.id desc offset ${skip} limit ${limit}`.execute(database);
  const { rows } = await sql<{ total: number }>`select count(*) as total from audit where ${own}`.execute(database);
  return { decisions, total: rows[0]?.total ?? 0 };
}
