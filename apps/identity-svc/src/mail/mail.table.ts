import type { Generated, Insertable, JSONColumnType, Selectable } from 'kysely';

/** Events of an account of which its owner is notified. */
export type NoticeKind =
  | 'password-changed'
  | 'password-reset'
  | 'token-created'
  | 'new-sign-in'
  | 'role-changed'
  | 'two-factor-on'
  | 'two-factor-off';

/** One event: texts by name, plus `at` (ISO 8601). */
export type NoticeDetails = Readonly<Record<string, string>>;

/** The last two are requested by address: the account is looked up when the mail is sent. */
export type MailKind =
  | NoticeKind
  | 'verify-email'
  /** Verifies the address after several registrations, whose passwords do not count. */
  | 'choose-password'
  | 'account-exists'
  | 'records-reviewed'
  | 'record-message'
  | 'resend-verification'
  | 'forgot-password';

export interface Decision {
  recordId: number;
  approved: boolean;
  /** The transition, unless it is an approval or a rejection. */
  change?: 'withdrawn' | 'restored' | 'reopened';
  reason?: string;
}

/** Waiting and recent mails. Rows contain no text: it is written, with its token, when the mail is sent. */
export interface MailTable {
  id: string;
  kind: MailKind;
  /** Null while only the requested address is known. */
  account_id: string | null;
  /** See `normalizeEmail`. */
  email_normalized: string | null;
  /** Only of `records-reviewed`. */
  decisions: JSONColumnType<Decision[]> | null;
  /** Only of notices and `record-message`: the reported events. */
  details: JSONColumnType<NoticeDetails[]> | null;
  /** Only of `records-reviewed`: key of the event, which makes a redelivery harmless. */
  event_key: Buffer | null;
  /** Only of `record-message`. */
  record_id: Generated<number | null>;
  created_at: Generated<Date>;
  attempts: Generated<number>;
  next_try_at: Generated<Date>;
  sent_at: Generated<Date | null>;
  given_up_at: Generated<Date | null>;
  last_error: Generated<string | null>;
  /** The mail into which this one was merged instead of being sent. */
  bundled_into: Generated<string | null>;
}

export type MailRow = Selectable<MailTable>;
export type NewMailRow = Insertable<MailTable>;

export type TokenPurpose = 'verify-email' | 'set-password';

export interface MailTokenTable {
  /** SHA-256 of the token. */
  token_hash: Buffer;
  purpose: TokenPurpose;
  account_id: string;
  /** The mail that carried it; a second attempt replaces the token. */
  mail_id: string;
  expires_at: Date;
  /** When it was used or voided. */
  used_at: Generated<Date | null>;
}
