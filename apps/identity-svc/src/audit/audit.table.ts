import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** Actions on accounts, sessions and tokens. Append-only, without personal data. */
export interface AuditTable {
  /** Ascending, with gaps. */
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  action: string;
  /** Account id of the actor; null for a caller without a credential. */
  actor: string | null;
  /** Account id of the affected account. */
  subject: string | null;
  request_id: string;
  details: JSONColumnType<Record<string, string>>;
}

/** Client address of an action: personal data, erased with the account. */
export interface AuditOriginTable {
  audit_id: number;
  client_ip: string;
}
