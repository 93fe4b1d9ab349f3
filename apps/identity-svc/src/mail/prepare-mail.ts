import type { Kysely, Transaction } from 'kysely';
import { lockAccountByEmail, lockAccountById } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import { mailboxOf } from '../account/email-address.ts';
import { newOpaqueToken } from '../opaque-token.ts';
import type { IdentityTables } from '../tables.ts';
import { replaceMailToken } from './mail-token.store.ts';
import { bindMail, countMailsOfLastHour, deleteMail, lockWaitingMail } from './mail.store.ts';
import type { MailRow, TokenPurpose } from './mail.table.ts';
import { type MailMessage, writeMail } from './mail-text.ts';
import type { OutgoingMail } from './mail-transport.ts';

export interface MailLinks {
  /** Root of the public interface, without a slash at the end. */
  publicUrl: string;
  verificationHours: number;
  resetHours: number;
}

// Whoever asks in somebody's name for mail after mail does not fill that person's mailbox.
const MOST_AN_HOUR = 10;

type LinkedKind = 'verify-email' | 'choose-password' | 'reset-password';

/**
 * Writes a mail that waits, with a new token, whose hash is kept before the mail goes out. Undefined when there is
 * nothing to send (any more): such a mail is removed.
 */
export async function prepareMail(
  database: Kysely<IdentityTables>,
  mailId: string,
  links: MailLinks,
): Promise<OutgoingMail | undefined> {
  return await database.transaction().execute(async (transaction) => {
    const waiting = await transaction.selectFrom('mail').selectAll().where('id', '=', mailId).executeTakeFirst();
    if (!waiting) return undefined;
    // The account first, as everywhere; the mail may have been taken back meanwhile.
    const account = await lockRecipient(transaction, waiting);
    const mail = await lockWaitingMail(transaction, mailId);
    if (!mail) return undefined;
    const about = account && subjectOf(mail, account);
    if (!about || (await countMailsOfLastHour(transaction, account.id)) >= MOST_AN_HOUR) {
      await deleteMail(transaction, mailId);
      return undefined;
    }
    if (mail.account_id === null) await bindMail(transaction, mailId, account.id);
    const message = await messageOf(transaction, mail, account, about, links);
    return {
      id: mail.id,
      to: mailboxOf(account.email),
      createdAt: mail.created_at,
      ...('link' in message ? { link: message.link } : {}),
      ...writeMail(message),
    };
  });
}

async function lockRecipient(
  transaction: Transaction<IdentityTables>,
  { account_id, email_normalized }: MailRow,
): Promise<AccountRow | undefined> {
  if (account_id !== null) return await lockAccountById(transaction, account_id);
  return email_normalized === null ? undefined : await lockAccountByEmail(transaction, email_normalized);
}

/** What an account is to read, by its state at this moment; undefined for nothing. */
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
    case 'records-reviewed':
      return account.email_verified ? 'records-reviewed' : undefined;
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
  if (about === 'records-reviewed') return { about, decisions: mail.decisions ?? [] };
  const { purpose, path, validHours } = linkOf(about, links);
  const { token, hash } = newOpaqueToken();
  const expiresAt = new Date(Date.now() + validHours * 3_600_000);
  await replaceMailToken(transaction, { hash, purpose, accountId: account.id, mailId: mail.id, expiresAt });
  return { about, link: `${links.publicUrl}${path}?token=${token}`, validHours };
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
