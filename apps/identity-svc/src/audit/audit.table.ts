import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** What was done to accounts, sessions and tokens. Append-only, and without personal data. */
export interface AuditTable {
  /** In the order of the actions, with gaps. */
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  /** For example `token-created`. */
  action: string;
  /** Account id of who did it; null for somebody without a credential. */
  actor: string | null;
  /** Account id of whom it concerns. */
  subject: string | null;
  request_id: string;
  details: JSONColumnType<Record<string, string>>;
}

/** From where it was done: personal data, which goes with the account. */
export interface AuditOriginTable {
  audit_id: number;
  client_ip: string;
}
