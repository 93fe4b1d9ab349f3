import type { Content } from './mail-content.ts';
import type { Decision, NoticeDetails, NoticeKind } from './mail.table.ts';
import { noticeContent } from './notice-text.ts';

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

export type MailMessage =
  | { about: 'verify-email' | 'choose-password' | 'reset-password'; link: string; validHours: number }
  | { about: 'account-exists'; email: string }
  | { about: 'account-deleted' }
  | { about: 'records-reviewed'; decisions: readonly Decision[]; publicUrl: string }
  | { about: 'record-message'; events: readonly NoticeDetails[]; publicUrl: string }
  | { about: NoticeKind; events: readonly NoticeDetails[] };

/** Writes a mail. The mails with a token contain no text that a caller entered, since they may reach another person. */
export function writeMail(message: MailMessage): MailText {
  const { subject, before, link, after, list } = contentOf(message);
  const text = [
    ...before,
    ...(link ? [link] : []),
    ...(list ? [list.map((item) => `- ${item}`).join('\n')] : []),
    ...after,
  ];
  const html = [
    ...before.map(paragraph),
    ...(link ? [`<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`] : []),
    ...(list ? [`<ul>\n${list.map((item) => `<li>${escapeHtml(item)}</li>`).join('\n')}\n</ul>`] : []),
    ...after.map(paragraph),
  ];
  return {
    subject,
    text: `${[...text, SIGNATURE].join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${[...html, paragraph(SIGNATURE)].join('\n')}\n</body>\n</html>\n`,
  };
}

const SIGNATURE = 'Electrospinning Dataset Service';

function contentOf(message: MailMessage): Content {
  switch (message.about) {
    case 'verify-email':
      return {
        subject: 'Confirm your email address',
        before: ['Confirm this address to finish creating your account.'],
        link: message.link,
        after: [
          `The link works once and expires after ${hours(message.validHours)}.`,
          'If this was not you, ignore this email. Without the confirmation, the account cannot be used.',
        ],
      };
    case 'choose-password':
      return {
        subject: 'Confirm your email address and choose a password',
        before: [
          'This address was registered more than once before it was confirmed, so earlier links no longer work. Follow this link to confirm the address and choose a password:',
        ],
        link: message.link,
        after: [
          `The link works once and expires after ${hours(message.validHours)}.`,
          'If this was not you, ignore this email. Without the confirmation, the account cannot be used.',
        ],
      };
    case 'reset-password':
      return {
        subject: 'Choose a new password',
        before: ['A new password was requested for your account. Follow this link to choose one:'],
        link: message.link,
        after: [
          `The link works once and expires after ${hours(message.validHours)}. A new password ends all sessions and revokes all personal access tokens.`,
          'If this was not you, ignore this email. Your password has not changed.',
        ],
      };
    case 'account-exists':
      return {
        subject: 'You already have an account',
        before: [
          `A registration was attempted with ${message.email}, which already has an account. Sign in with its password, or request a new one if you have forgotten it.`,
        ],
        after: ['If this was not you, ignore this email. Your account has not changed.'],
      };
    case 'account-deleted':
      return {
        subject: 'Your account was deleted',
        before: [
          'Your account was deleted with your name, email address, tokens, personal snapshots, and unpublished records.',
        ],
        after: [
          'Published records remain without your name. If you did not request this, contact the operators of the service.',
        ],
      };
    case 'records-reviewed':
      return reviewContent(message.decisions, message.publicUrl);
    case 'record-message':
      return threadContent(message.events, message.publicUrl);
    default:
      return noticeContent(message.about, message.events);
  }
}

/** Returns the content of a mail about decisions. Its link leads to the record, or to the page of all records. */
function reviewContent(decisions: readonly Decision[], publicUrl: string): Content {
  const page = `${publicUrl}/account`;
  const after = [
    'Approved records are now public. If you change a rejected or withdrawn record, it is reviewed again.',
  ];
  const list = decisionLines(decisions);
  const records = new Set(decisions.map(({ recordId }) => recordId));
  const newest = decisions.at(-1);
  if (records.size > 1 || !newest) {
    return {
      subject: `${records.size} of your records were reviewed`,
      before: ['A moderator has reviewed your records. See them here:'],
      link: page,
      list,
      after,
    };
  }
  const { recordId, approved, change } = newest;
  const outcome = change === undefined ? (approved ? 'was published' : 'was rejected') : CHANGED[change];
  return {
    subject: `Record ${recordId} ${outcome}`,
    before: ['A moderator has reviewed your record. See it here:'],
    link: `${page}?record=${recordId}`,
    list,
    after,
  };
}

/** Returns the content of a mail about messages. Its link leads to the record, or to the page of all records. */
function threadContent(events: readonly NoticeDetails[], publicUrl: string): Content {
  const page = (from: string | undefined) => `${publicUrl}${from === 'owner' ? '/moderate' : '/account'}`;
  const after = ['Emails do not contain the messages themselves.'];
  const [{ recordId = '', from } = {}] = events;
  if (events.length > 1) {
    return {
      subject: `Messages on ${events.length} records`,
      before: ['You have new messages. Read and answer them here:'],
      // An admin may be an owner too; the account page then has the link to the other one.
      link: page(events.every((event) => event.from === 'owner') ? 'owner' : 'moderator'),
      list: events.map(
        (event) =>
          `Record ${event.recordId}: ${event.from === 'owner' ? 'its contributor answered' : 'a moderator asks a question'}`,
      ),
      after,
    };
  }
  const isAnswer = from === 'owner';
  return {
    subject: isAnswer ? `An answer on record ${recordId}` : `A question about record ${recordId}`,
    before: [
      isAnswer
        ? `The contributor of record ${recordId} answered. Read the message here:`
        : `A moderator has a question about record ${recordId}. Read and answer it here:`,
    ],
    link: `${page(from)}?record=${recordId}`,
    after,
  };
}

const CHANGED: Readonly<Record<NonNullable<Decision['change']>, string>> = {
  withdrawn: 'was withdrawn',
  restored: 'awaits review again',
  reopened: 'awaits review again',
};

const CHANGES: Readonly<Record<NonNullable<Decision['change']>, string>> = {
  withdrawn: 'withdrawn, so no longer public',
  restored: 'no longer withdrawn; awaits review again',
  reopened: 'no longer rejected; awaits review again',
};

/** Returns one line per outcome, because a batch may reject a thousand records for the same long reason. */
function decisionLines(decisions: readonly Decision[]): string[] {
  const outcome = ({ approved, change, reason }: Decision): string => {
    const what = change === undefined ? (approved ? 'approved' : 'rejected') : CHANGES[change];
    return reason === undefined ? what : `${what}. Reason: ${reason}`;
  };
  return [...Map.groupBy(decisions, outcome)].map(([what, alike]) => {
    const records = alike.map(({ recordId }) => recordId).join(', ');
    return `${alike.length === 1 ? 'Record' : 'Records'} ${records}: ${what}`;
  });
}

function hours(count: number): string {
  return count === 1 ? '1 hour' : `${count} hours`;
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
