import type { Content } from './mail-content.ts';
import type { Decision, NoticeDetails, NoticeKind } from './mail.table.ts';
import { noticeContent } from './notice-text.ts';

/** The words of a mail, as plain text and as HTML. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** What a mail says; `link` is where its reader can go on, `validHours` how long that works. */
export type MailMessage =
  | { about: 'verify-email' | 'choose-password' | 'reset-password'; link: string; validHours: number }
  | { about: 'account-exists'; email: string }
  | { about: 'records-reviewed'; decisions: readonly Decision[] }
  | { about: 'record-message'; events: readonly NoticeDetails[] }
  | { about: NoticeKind; events: readonly NoticeDetails[] };

/** Writes a mail. Nothing that an unknown person typed is in the first three, since they may reach somebody else. */
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
        subject: 'Confirm your e-mail address',
        before: ['Somebody, most likely you, registered this address. Follow this link to confirm it:'],
        link: message.link,
        after: [
          `The link works once, for ${hours(message.validHours)}.`,
          'If it was not you, do nothing: the account cannot be used.',
        ],
      };
    case 'choose-password':
      return {
        subject: 'Confirm your e-mail address and choose a password',
        before: [
          'This address was registered more than once before it was confirmed, and earlier links do not work any more. Follow this link to confirm it and to choose the password:',
        ],
        link: message.link,
        after: [
          `The link works once, for ${hours(message.validHours)}.`,
          'If it was not you, do nothing: the account cannot be used.',
        ],
      };
    case 'reset-password':
      return {
        subject: 'Choose a new password',
        before: ['Somebody, most likely you, asked for a new password. Follow this link to choose one:'],
        link: message.link,
        after: [
          `The link works once, for ${hours(message.validHours)}. All sessions end then.`,
          'If it was not you, do nothing: your password stays as it is.',
        ],
      };
    case 'account-exists':
      return {
        subject: 'You already have an account',
        before: [
          `Somebody, most likely you, registered ${message.email}, which has an account already. Log in with its password, or ask for a new one if you have forgotten it.`,
        ],
        after: ['If it was not you, do nothing: your account is as it was.'],
      };
    case 'records-reviewed': {
      const count = message.decisions.length;
      return {
        subject: count === 1 ? 'Your record was reviewed' : `${count} of your records were reviewed`,
        before: ['A moderator has decided on what you submitted:'],
        list: decisionLines(message.decisions),
        after: [
          'Approved records are public now. A rejected or withdrawn one can be changed, and is then reviewed again.',
        ],
      };
    }
    case 'record-message': {
      const count = message.events.length;
      return {
        subject: count === 1 ? 'There is a message on a record' : `There are messages on ${count} records`,
        before: ['Somebody wrote to you:'],
        list: message.events.map(
          ({ recordId = '', from }) =>
            `Record ${recordId}: ${from === 'owner' ? 'its contributor wrote a message' : 'a moderator wrote a message'}`,
        ),
        after: ['Sign in to read it and to answer; mails do not hold what was written.'],
      };
    }
    default:
      return noticeContent(message.about, message.events);
  }
}

const CHANGES: Readonly<Record<NonNullable<Decision['change']>, string>> = {
  withdrawn: 'withdrawn, so no longer public',
  restored: 'no longer withdrawn; awaits review again',
  reopened: 'no longer rejected; awaits review again',
};

/** One line for all records with the same outcome: a batch may reject a thousand for one long reason. */
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
