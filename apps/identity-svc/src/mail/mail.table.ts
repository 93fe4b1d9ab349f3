import type { Generated, Insertable, JSONColumnType, Selectable } from 'kysely';

/** What happened to an account, of which its owner is notified. */
export type NoticeKind =
  | 'password-changed'
  | 'password-reset'
  | 'token-created'
  | 'new-sign-in'
  | 'role-changed'
  | 'two-factor-on'
  | 'two-factor-off';

/** One such event with its texts by name; `at` is added, ISO 8601. */
export type NoticeDetails = Readonly<Record<string, string>>;

/** What a mail is about. The last two are asked for by address: its account is looked up when the mail is sent. */
export type MailKind =
  | NoticeKind
  /** Confirms the address of a registration. */
  | 'verify-email'
  /** Confirms the address after several registrations, whose passwords do not count. */
  | 'choose-password'
  /** Somebody registered an address that has an account. */
  | 'account-exists'
  /** Records of the account were reviewed. */
  | 'records-reviewed'
  /** Somebody wrote in the thread of a record. */
  | 'record-message'
  | 'resend-verification'
  | 'forgot-password';

/** What a moderator decided on a record. */
export interface Decision {
  recordId: number;
  approved: boolean;
  /** What became of the record in place of an approval or a refusal. */
  change?: 'withdrawn' | 'restored' | 'reopened';
  reason?: string;
}

/** Mails to send and those of the last weeks. No row holds a text: it is written, with its token, when it is sent. */
export interface MailTable {
  id: string;
  kind: MailKind;
  /** To whom; null while only the address that somebody typed is known. */
  account_id: string | null;
  /** See `normalizeEmail`. */
  email_normalized: string | null;
  /** Of `records-reviewed`. */
  decisions: JSONColumnType<Decision[]> | null;
  /** Of notices and `record-message`: the events that it tells. */
  details: JSONColumnType<NoticeDetails[]> | null;
  /** Of `records-reviewed`: the event that asked for it, so that a repetition asks for nothing. */
  event_key: Buffer | null;
  /** Of `record-message`. */
  record_id: Generated<number | null>;
  created_at: Generated<Date>;
  /** How often the mail server has refused it. */
  attempts: Generated<number>;
  next_try_at: Generated<Date>;
  sent_at: Generated<Date | null>;
  given_up_at: Generated<Date | null>;
  last_error: Generated<string | null>;
  /** The mail of the same kind into which this one was merged; it was not sent itself. */
  bundled_into: Generated<string | null>;
}

export type MailRow = Selectable<MailTable>;
export type NewMailRow = Insertable<MailTable>;

/** What a link in a mail is good for. */
export type TokenPurpose = 'verify-email' | 'set-password';

export interface MailTokenTable {
  /** SHA-256 of the token. */
  token_hash: Buffer;
  purpose: TokenPurpose;
  account_id: string;
  /** The mail that carried it; sending it again replaces the token. */
  mail_id: string;
  expires_at: Date;
  /** When it was used, or another one made it void. */
  used_at: Generated<Date | null>;
}
