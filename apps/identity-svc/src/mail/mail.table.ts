import type { Generated, Insertable, JSONColumnType, Selectable } from 'kysely';

/** The events of an account about which its owner is notified. */
export type NoticeKind =
  | 'password-changed'
  | 'password-reset'
  | 'token-created'
  | 'new-sign-in'
  | 'role-changed'
  | 'two-factor-on'
  | 'two-factor-off';

/** The details of one event: texts by name, and the time `at` (ISO 8601). */
export type NoticeDetails = Readonly<Record<string, string>>;

/** The last two kinds are requested by email address; the account is looked up when the mail is sent. */
export type MailKind =
  | NoticeKind
  | 'verify-email'
  /** Verifies the address after several registrations, whose passwords are void. */
  | 'choose-password'
  | 'account-exists'
  /** Confirms a deletion. It has the address, because the account no longer exists; its row is deleted once it is sent. */
  | 'account-deleted'
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

/** The waiting and recent mails. Rows contain no text; the text and its token are created when the mail is sent. */
export interface MailTable {
  id: string;
  kind: MailKind;
  /** Null until the account of the email address is looked up. */
  account_id: string | null;
  /** See `normalizeEmail`. */
  email_normalized: string | null;
  /** Set only for `records-reviewed`. */
  decisions: JSONColumnType<Decision[]> | null;
  /** The reported events; set only for notices and `record-message`. */
  details: JSONColumnType<NoticeDetails[]> | null;
  /** The key of the event, so that a redelivery queues no second mail; set only for `records-reviewed`. */
  event_key: Buffer | null;
  /** Set only for `record-message`. */
  record_id: Generated<number | null>;
  created_at: Generated<Date>;
  attempts: Generated<number>;
  next_try_at: Generated<Date>;
  sent_at: Generated<Date | null>;
  given_up_at: Generated<Date | null>;
  last_error: Generated<string | null>;
  /** The id of the mail into which this one was merged. */
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
  /** The mail that contains the token. A second attempt to send the mail replaces the token. */
  mail_id: string;
  expires_at: Date;
  /** The time at which it was used or voided. */
  used_at: Generated<Date | null>;
}
