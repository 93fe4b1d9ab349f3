import { z } from 'zod';
import { jsonBody } from '../json-body.ts';
import { route, type Route } from '../route.ts';
import { shortText } from '../short-text.ts';
import { success } from '../success.ts';
import type { Upstream } from '../upstream.ts';

const passwordBody = z.strictObject({ password: shortText });
const otpBody = z.strictObject({ otp: shortText });
const endBody = z.strictObject({
  password: shortText,
  otp: shortText.meta({ description: 'A code of the authenticator, or a recovery code.' }),
});

const stateAnswer = z.strictObject({ enabled: z.boolean(), recoveryCodesLeft: z.int() });
const beginAnswer = z.strictObject({
  secret: z.string().meta({ description: 'Base32, for an authenticator without a camera.' }),
  otpauthUrl: z.string().meta({ description: 'What the QR code for an authenticator holds.' }),
});
const confirmAnswer = z.strictObject({
  recoveryCodes: z
    .array(z.string())
    .meta({ description: 'Each works once in place of a code; they are not shown again.' }),
});

const SESSION_ONLY = 'Needs a session.';

/** Two-factor sign-in of the caller: one-time codes of an authenticator (TOTP, RFC 6238). */
export function twoFactorRoutes({ twoFactor }: Pick<Upstream, 'twoFactor'>): Route[] {
  const own = { caller: 'session', targets: ['esd.identity.v1.TwoFactorService'], limit: 'accounts' } as const;
  return [
    route({
      caller: 'session',
      targets: ['esd.identity.v1.TwoFactorService'],
      method: 'get',
      path: '/auth/two-factor',
      describe: {
        tag: 'Accounts',
        summary: 'Whether two-factor sign-in is on',
        details: SESSION_ONLY,
        returns: 'Whether signing in asks for a code, and how many recovery codes are left.',
        errors: ['SESSION_REQUIRED'],
      },
      answer: stateAnswer,
      handle: async (input, response) => {
        response.set('Cache-Control', 'no-store').json(await twoFactor.getTwoFactor({}, input.call));
      },
    }),
    route({
      ...own,
      method: 'post',
      path: '/auth/two-factor',
      describe: {
        tag: 'Accounts',
        summary: 'Begin two-factor sign-in',
        details: `${SESSION_ONLY} Makes a secret for an authenticator; nothing changes until it is confirmed. A secret that was not confirmed is replaced.`,
        returns: 'The secret, this once.',
        errors: ['SESSION_REQUIRED', 'BAD_CREDENTIALS', 'CONFLICT', 'NOT_IMPLEMENTED', 'RATE_LIMITED'],
        example: { body: { password: 'correct horse battery staple' } },
      },
      body: jsonBody(passwordBody),
      answer: beginAnswer,
      handle: async ({ body, call }, response) => {
        response.set('Cache-Control', 'no-store').json(await twoFactor.beginTwoFactor(body, call));
      },
    }),
    route({
      ...own,
      method: 'post',
      path: '/auth/two-factor/confirm',
      describe: {
        tag: 'Accounts',
        summary: 'Turn two-factor sign-in on',
        details: `${SESSION_ONLY} From now on POST /auth/login needs \`otp\` too, each code once. Ends every session of the account but the one that asks; personal access tokens stay.`,
        returns: 'Ten recovery codes, this once.',
        errors: ['SESSION_REQUIRED', 'BAD_CREDENTIALS', 'CONFLICT', 'RATE_LIMITED'],
        example: { body: { otp: '123456' } },
      },
      body: jsonBody(otpBody),
      answer: confirmAnswer,
      handle: async ({ body, call }, response) => {
        response.set('Cache-Control', 'no-store').json(await twoFactor.confirmTwoFactor(body, call));
      },
    }),
    route({
      ...own,
      method: 'delete',
      path: '/auth/two-factor',
      describe: {
        tag: 'Accounts',
        summary: 'Turn two-factor sign-in off',
        details: SESSION_ONLY,
        returns: 'Signing in takes only the password again.',
        errors: ['SESSION_REQUIRED', 'BAD_CREDENTIALS', 'CONFLICT', 'RATE_LIMITED'],
        example: { body: { password: 'correct horse battery staple', otp: '123456' } },
      },
      body: jsonBody(endBody),
      answer: success,
      handle: async ({ body, call }, response) => {
        await twoFactor.endTwoFactor(body, call);
        response.set('Cache-Control', 'no-store').json({ success: true, message: 'Two-factor sign-in is off.' });
      },
    }),
  ];
}
