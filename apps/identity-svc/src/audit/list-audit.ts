import type { Kysely } from 'kysely';
import type { IdentityTables } from '../tables.ts';

export interface AuditQuery {
  actor?: string | undefined;
  subject?: string | undefined;
  action?: string | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  skip: number;
  limit: number;
}

export interface AuditRow {
  id: number;
  at: Date;
  action: string;
  actor: string | null;
  subject: string | null;
  requestId: string;
  details: Record<string, string>;
  clientIp: string | null;
}

/** Lists the actions of an account, newest first. */
export async function listOwnActs(
  database: Kysely<IdentityTables>,
  accountId: string,
  { limit, beforeId }: { limit: number; beforeId?: number | undefined },
): Promise<Pick<AuditRow, 'id' | 'at' | 'action' | 'clientIp'>[]> {
  return database
    .selectFrom('audit')
    .leftJoin('audit_origin', 'audit_origin.audit_id', 'audit.id')
    .select(['audit.id', 'audit.at', 'audit.action', 'audit_origin.client_ip as clientIp'])
    .where('audit.actor', '=', accountId)
    .$if(beforeId !== undefined, (query) => query.where('audit.id', '<', beforeId ?? 0))
    .orderBy('audit.id', 'desc')
    .limit(limit)
    .execute();
}

/** Lists the matching entries of the audit trail, newest first. */
export async function listAudit(
  database: Kysely<IdentityTables>,
  { actor, subject, action, from, to, skip, limit }: AuditQuery,
): Promise<{ records: AuditRow[]; total: number }> {
  let matching = database.selectFrom('audit');
  if (actor !== undefined) matching = matching.where('audit.actor', '=', actor);
  if (subject !== undefined) matching = matching.where('audit.subject', '=', subject);
  if (action !== undefined) matching = matching.where('audit.action', '=', action);
  if (from !== undefined) matching = matching.where('audit.at', '>=', from);
  if (to !== undefined) matching = matching.where('audit.at', '<', to);
  const { total } = await matching.select((audit) => audit.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const records = await matching
    .leftJoin('audit_origin', 'audit_origin.audit_id', 'audit.id')
    .select([
      'audit.id',
      'audit.at',
      'audit.action',
      'audit.actor',
      'audit.subject',
      'audit.request_id as requestId',
      'audit.details',
      'audit_origin.client_ip as clientIp',
    ])
    .orderBy('audit.id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { records, total };
}
