import { type Kysely, sql, type Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';

/** What happened, with opaque ids only: names, addresses and the like never belong into `details`. */
export interface AuditEntry {
  /** For example `token-created`. */
  action: string;
  /** Account id of who did it; null for somebody without a credential. */
  actor: string | null;
  /** Account id of whom it concerns. */
  subject: string | null;
  details?: Record<string, string>;
}

/** The request in which it happened; a call's context is one. */
export interface AuditOrigin {
  requestId: string;
  clientIp: string | undefined;
}

/** Adds an entry to the audit trail in the transaction of what it tells. */
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

/** Forgets from where everything was done that an account did or that concerns it. */
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

/** Forgets from where up to `limit` things were done that are older than so many days; returns how many it forgot. */
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
