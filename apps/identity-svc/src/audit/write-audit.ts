import { type Kysely, sql, type Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';

/** An entry of the audit trail. `details` must not contain names, addresses or other personal data. */
export interface AuditEntry {
  /** For example `token-created`. */
  action: string;
  /** Account id of the actor; null for a caller without a credential. */
  actor: string | null;
  /** Account id of the affected account. */
  subject: string | null;
  details?: Record<string, string>;
}

export interface AuditOrigin {
  requestId: string;
  clientIp: string | undefined;
}

export async function writeAudit(
  transaction: Transaction<IdentityTables>,
  entry: AuditEntry,
  origin: AuditOrigin,
): Promise<void> {
  const { action, actor, subject, details = {} } = entry;
  const { id } = await transaction
    .insertInto('audit')
    .values({ action, actor, subject, request_id: origin.requestId, details: JSON.stringify(details) })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (origin.clientIp === undefined) return;
  await transaction.insertInto('audit_origin').values({ audit_id: id, client_ip: origin.clientIp }).execute();
}

/** Erases the client addresses of all actions by an account or on it. */
export async function eraseAuditOrigins(transaction: Transaction<IdentityTables>, accountId: string): Promise<void> {
  await transaction
    .deleteFrom('audit_origin')
    .where('audit_id', 'in', (of) =>
      of
        .selectFrom('audit')
        .select('id')
        .where((audit) => audit.or([audit('actor', '=', accountId), audit('subject', '=', accountId)])),
    )
    .execute();
}

/** Erases up to `limit` client addresses of actions older than `days` days. Returns the number of erased addresses. */
export async function eraseAuditOriginsOlderThan(
  database: Kysely<IdentityTables>,
  days: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('audit_origin')
    .where('audit_id', 'in', (of) =>
      of
        .selectFrom('audit_origin')
        .innerJoin('audit', 'audit.id', 'audit_origin.audit_id')
        .select('audit_origin.audit_id')
        .where('audit.at', '<', sql<Date>`now() - make_interval(days => ${days}::int)`)
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
