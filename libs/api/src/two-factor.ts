import { z } from 'zod';
import { operation } from './operation.ts';
import { shortText } from './short-text.ts';
import { success } from './success.ts';

const passwordBody = z.strictObject({ password: shortText });

const otpBody = z.strictObject({ otp: shortText });

const endBody = z.strictObject({
  password: shortText,
  otp: shortText.meta({ description: 'A code from the authenticator app, or a recovery code.' }),
});

const stateAnswer = z.strictObject({ enabled: z.boolean(), recoveryCodesLeft: z.int() });

const beginAnswer = z.strictObject({
  secret: z.string().meta({ description: 'The secret in Base32, for manual entry in an authenticator app.' }),
  otpauthUrl: z.string().meta({ description: 'The content of the QR code for an authenticator app.' }),
});

const confirmAnswer = z.strictObject({
  recoveryCodes: z.array(z.string()).meta({
    description: 'Each recovery code works once instead of a code from the app. The codes are shown only once.',
  }),
});

const SESSION_ONLY = 'Requires a session.';

export const getTwoFactor = operation({
  caller: 'session',
  method: 'get',
  path: '/auth/two-factor',
  describe: {
    tag: 'Accounts',
    summary: 'Get the state of two-factor sign-in',
    details: SESSION_ONLY,
    returns: 'Whether signing in requires a code, and the number of remaining recovery codes.',
    errors: ['SESSION_REQUIRED'],
  },
  response: stateAnswer,
});

export const beginTwoFactor = operation({
  caller: 'session',
  limit: 'accounts',
  method: 'post',
  path: '/auth/two-factor',
  describe: {
    tag: 'Accounts',
    summary: 'Start the setup of two-factor sign-in',
    details: `${SESSION_ONLY} Creates a secret for an authenticator app. Signing in does not change until the secret is confirmed. An unconfirmed secret is replaced.`,
    returns: 'The secret. It is shown only once.',
    errors: ['SESSION_REQUIRED', 'BAD_CREDENTIALS', 'CONFLICT', 'NOT_IMPLEMENTED', 'RATE_LIMITED'],
    example: { body: { password: 'correct horse battery staple' } },
  },
  body: passwordBody,
  response: beginAnswer,
});

export const confirmTwoFactor = operation({
  caller: 'session',
  limit: 'accounts',
  method: 'post',
  path: '/auth/two-factor/confirm',
  describe: {
    tag: 'Accounts',
    summary: 'Confirm and enable two-factor sign-in',
    details: `${SESSION_ONLY} Afterwards, \`POST /auth/login\` also requires \`otp\`; each code works once. Ends every other session of the account. Personal access tokens remain valid.`,
    returns: 'Ten recovery codes. They are shown only once.',
    errors: ['SESSION_REQUIRED', 'BAD_CREDENTIALS', 'CONFLICT', 'RATE_LIMITED'],
    example: { body: { otp: '123456' } },
  },
  body: otpBody,
  response: confirmAnswer,
});

export const disableTwoFactor = operation({
  caller: 'session',
  limit: 'accounts',
  method: 'delete',
  path: '/auth/two-factor',
  describe: {
    tag: 'Accounts',
    summary: 'Disable two-factor sign-in',
    details: SESSION_ONLY,
    returns: 'A confirmation that signing in requires only the password again.',
    errors: ['SESSION_REQUIRED', 'BAD_CREDENTIALS', 'CONFLICT', 'RATE_LIMITED'],
    example: { body: { password: 'correct horse battery staple', otp: '123456' } },
  },
  body: endBody,
  response: success,
});
