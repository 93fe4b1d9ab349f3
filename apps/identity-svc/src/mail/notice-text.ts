import type { Content } from './mail-content.ts';
import type { NoticeDetails, NoticeKind } from './mail.table.ts';

const MAX_LINES = 50;
const NOT_YOU =
  'If this was not you, request a password reset by email and choose a new password. This ends every session and revokes every personal access token of your account.';

/** Returns the content of a notice. `events`: oldest first. */
export function noticeContent(kind: NoticeKind, events: readonly NoticeDetails[]): Content {
  const { subject, before, line } = TEXTS[kind];
  const lines = events.slice(0, MAX_LINES).map((event) => `${timeOf(event)}: ${line(event)}`);
  const more = events.length - lines.length;
  return {
    subject,
    before: [before],
    list: more > 0 ? [...lines, `and ${more} more`] : lines,
    after: [kind === 'role-changed' ? 'If you do not know why, contact the operators of the service.' : NOT_YOU],
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
    line: () => 'changed, using the previous password',
  },
  'password-reset': {
    subject: 'Your password was reset',
    before:
      'The password of your account was reset with the link in an email. All sessions have ended, and all personal access tokens are revoked:',
    line: () => 'reset',
  },
  'token-created': {
    subject: 'A personal access token was created',
    before: 'A new personal access token was created. Programs can use it to act for your account:',
    line: ({ prefix = '', expiresAt }) =>
      `${prefix}…, ${expiresAt === undefined ? 'does not expire' : `expires on ${expiresAt.slice(0, 10)}`}`,
  },
  'new-sign-in': {
    subject: 'A sign-in from a new network',
    before: 'Your account was signed in to from a new network.',
    line: ({ network = '' }) => `from ${network}`,
  },
  'role-changed': {
    subject: 'Your role was changed',
    before: 'An admin changed the role of your account:',
    line: ({ from = '', to = '' }) => `${to}, previously ${from}`,
  },
  'two-factor-on': {
    subject: 'Two-factor sign-in was turned on',
    before: 'Signing in to your account now requires a code from your authenticator:',
    line: () => 'turned on',
  },
  'two-factor-off': {
    subject: 'Two-factor sign-in was turned off',
    before: 'Signing in to your account now requires only the password:',
    line: () => 'turned off',
  },
};

function timeOf({ at = '' }: NoticeDetails): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}
