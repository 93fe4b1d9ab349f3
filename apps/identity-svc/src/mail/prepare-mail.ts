import { ALLOWANCES } from '@esd/api/allowances';
import type { Kysely, Transaction } from 'kysely';
import { lockAccountByEmail, lockAccountById } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import { mailboxOf } from '../account/email-address.ts';
import { newOpaqueToken } from '../opaque-token.ts';
import type { IdentityTables } from '../tables.ts';
import { replaceMailToken } from './mail-token.store.ts';
import { bindMail, bundleWaiting, deleteMail, findMailsOfLastHour, lockWaitingMail, postpone } from './mail.store.ts';
import type { MailKind, MailRow, TokenPurpose } from './mail.table.ts';
import { type MailMessage, writeMail } from './mail-text.ts';
import type { OutgoingMail } from './mail-transport.ts';

export interface MailLinks {
  publicUrl: string;
  verificationHours: number;
  resetHours: number;
}

const { requested, notices } = ALLOWANCES.mails;
const MAX_BUNDLED = 50;
/** Mails that anyone can request; dropped beyond their limit, so that no one can fill a mailbox. */
const PUBLIC_KINDS: readonly MailKind[] = [
  'verify-email',
  'choose-password',
  'resend-verification',
  'forgot-password',
  'account-exists',
];

const RECORD_KINDS: readonly MailKind[] = ['records-reviewed', 'record-message'];

type LinkedKind = 'verify-email' | 'choose-password' | 'reset-password';

/**
 * Writes a mail and stores the hash of its new token. Returns `dropped` for a mail that it has deleted, and `postponed`
 * for a mail beyond the maximum. Returns undefined for a mail that was already deleted, sent or merged.
 */
export async function prepareMail(
  database: Kysely<IdentityTables>,
  mailId: string,
  links: MailLinks,
): Promise<OutgoingMail | 'dropped' | 'postponed' | undefined> {
  return await database.transaction().execute(async (transaction) => {
    const waiting = await transaction.selectFrom('mail').selectAll().where('id', '=', mailId).executeTakeFirst();
    if (!waiting) return undefined;
    // The account is locked before the mail, as everywhere. The mail may have been deleted before the lock.
    const account = await lockRecipient(transaction, waiting);
    const mail = await lockWaitingMail(transaction, mailId);
    if (!mail) return undefined;
    if (mail.kind === 'account-deleted') {
      const to = mailboxOf(mail.email_normalized ?? '');
      return { id: mail.id, to, createdAt: mail.created_at, ...writeMail({ about: mail.kind }) };
    }
    const about = account && subjectOf(mail, account);
    const isPublic = PUBLIC_KINDS.includes(mail.kind);
    const hour = about && (await findMailsOfLastHour(transaction, account.id, mail.kind));
    const isExceeded = hour && hour.sent >= (isPublic ? requested : notices).amount;
    if (!about || (isExceeded && isPublic)) {
      await deleteMail(transaction, mailId);
      return 'dropped';
    }
    if (isExceeded) {
      await postpone(transaction, mailId, hour.firstPassesAt ?? new Date());
      return 'postponed';
    }
    if (mail.account_id === null) await bindMail(transaction, mailId, account.id);
    // A mail about a record links to it, so it is merged with others only after it was postponed.
    const isSingle = isPublic || (RECORD_KINDS.includes(mail.kind) && mail.next_try_at <= mail.created_at);
    const whole = isSingle ? mail : await bundleWaiting(transaction, mail, MAX_BUNDLED);
    const message = await messageOf(transaction, whole, account, about, links);
    return { id: mail.id, to: mailboxOf(account.email), createdAt: mail.created_at, ...writeMail(message) };
  });
}

async function lockRecipient(
  transaction: Transaction<IdentityTables>,
  { account_id, email_normalized }: MailRow,
): Promise<AccountRow | undefined> {
  if (account_id !== null) return await lockAccountById(transaction, account_id);
  return email_normalized === null ? undefined : await lockAccountByEmail(transaction, email_normalized);
}

/** Returns undefined if the mail is obsolete in the current state of the account. */
function subjectOf(mail: MailRow, account: AccountRow): MailMessage['about'] | undefined {
  if (!account.enabled) return undefined;
  switch (mail.kind) {
    case 'verify-email':
    case 'resend-verification':
    case 'choose-password':
      if (account.email_verified) return undefined;
      return account.registered_again ? 'choose-password' : 'verify-email';
    case 'forgot-password':
      return 'reset-password';
    case 'account-exists':
      return 'account-exists';
    case 'account-deleted':
      return undefined;
    case 'records-reviewed':
    case 'record-message':
    case 'password-changed':
    case 'password-reset':
    case 'token-created':
    case 'new-sign-in':
    case 'role-changed':
    case 'two-factor-on':
    case 'two-factor-off':
      return account.email_verified ? mail.kind : undefined;
  }
}

async function messageOf(
  transaction: Transaction<IdentityTables>,
  mail: MailRow,
  account: AccountRow,
  about: MailMessage['about'],
  links: MailLinks,
): Promise<MailMessage> {
  if (about === 'account-exists') return { about, email: account.email };
  const { publicUrl } = links;
  if (about === 'records-reviewed') return { about, decisions: mail.decisions ?? [], publicUrl };
  if (about === 'record-message') return { about, events: mail.details ?? [], publicUrl };
  if (about !== 'verify-email' && about !== 'choose-password' && about !== 'reset-password') {
    return { about, events: mail.details ?? [] };
  }
  const { purpose, path, validHours } = linkOf(about, links);
  const { token, hash } = newOpaqueToken();
  const expiresAt = new Date(Date.now() + validHours * 3_600_000);
  await replaceMailToken(transaction, { hash, purpose, accountId: account.id, mailId: mail.id, expiresAt });
  return { about, link: `${publicUrl}${path}?token=${token}`, validHours };
}

function linkOf(about: LinkedKind, links: MailLinks): { purpose: TokenPurpose; path: string; validHours: number } {
  switch (about) {
    case 'verify-email':
      return { purpose: 'verify-email', path: '/auth/verify-email', validHours: links.verificationHours };
    case 'choose-password':
      return { purpose: 'set-password', path: '/auth/reset-password', validHours: links.verificationHours };
    case 'reset-password':
      return { purpose: 'set-password', path: '/auth/reset-password', validHours: links.resetHours };
  }
}
