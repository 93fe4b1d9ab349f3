import type { Content } from './mail-content.ts';
import type { NoticeDetails, NoticeKind } from './mail.table.ts';

const MAX_LINES = 50;
const NOT_YOU =
  'If it was not you: ask for a new password by mail and choose one. That ends every session and revokes every personal access token of your account.';

/** What a mail says of events of one kind, the oldest first. */
export function noticeContent(kind: NoticeKind, events: readonly NoticeDetails[]): Content {
  const { subject, before, line } = TEXTS[kind];
  const lines = events.slice(0, MAX_LINES).map((event) => `${timeOf(event)}: ${line(event)}`);
  const more = events.length - lines.length;
  return {
    subject,
    before: [before],
    list: more > 0 ? [...lines, `and ${more} more`] : lines,
    after: [kind === 'role-changed' ? 'If you do not know why, ask those who run the service.' : NOT_YOU],
  };
}

interface Text {
  subject: string;
  before: string;
  line: (event: NoticeDetails) => string;
}

const TEXTS: Readonly<Record<NoticeKind, Text>> = {
  'password-changed': {
    subject: 'Your password was changed',
    before: 'The password of your account was changed, and its other sessions have ended:',
    line: () => 'changed, with the password before it',
  },
  'password-reset': {
    subject: 'Your password was reset',
    before:
      'The password of your account was chosen anew by the link of a mail. Every session has ended, and every personal access token is revoked:',
    line: () => 'chosen anew',
  },
  'token-created': {
    subject: 'A personal access token was created',
    before: 'There is a new personal access token, with which programs can act for your account:',
    line: ({ prefix = '', expiresAt }) =>
      `${prefix}…, ${expiresAt === undefined ? 'which does not expire' : `which expires on ${expiresAt.slice(0, 10)}`}`,
  },
  'new-sign-in': {
    subject: 'A sign-in from a new network',
    before: 'Somebody, most likely you, signed in to your account from a network that it was not used from lately:',
    line: ({ network = '' }) => `from ${network}`,
  },
  'role-changed': {
    subject: 'Your role was changed',
    before: 'An administrator has changed the role of your account:',
    line: ({ from = '', to = '' }) => `${to}, it was ${from} before`,
  },
  'two-factor-on': {
    subject: 'Two-factor sign-in was turned on',
    before: 'Signing in to your account asks for a code of your authenticator from now on:',
    line: () => 'turned on',
  },
  'two-factor-off': {
    subject: 'Two-factor sign-in was turned off',
    before: 'Signing in to your account takes only the password from now on:',
    line: () => 'turned off',
  },
};

function timeOf({ at = '' }: NoticeDetails): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}
