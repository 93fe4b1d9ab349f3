import type { Request } from 'express';
import { z } from 'zod';
import { profileAnswer, profileOf } from '../account-profile.ts';
import { jsonBody, optionalJsonBody } from '../json-body.ts';
import { sendPage } from '../people-page.ts';
import { resetPasswordPage } from '../reset-password-page.ts';
import { route, type Route } from '../route.ts';
import { shortText } from '../short-text.ts';
import type { Upstream } from '../upstream.ts';
import { verifyEmailPage } from '../verify-email-page.ts';

const orcid = z
  .union([shortText, z.literal('')])
  .nullable()
  .meta({ description: 'Bare or as https://orcid.org/…; kept bare. Null or an empty text is none.' });

const registerBody = z.strictObject({
  email: shortText,
  password: shortText,
  name: shortText,
  orcid: orcid.optional(),
});
const emailBody = z.strictObject({ email: shortText });
const resetBody = z.strictObject({ token: shortText, newPassword: shortText });
const verifyBody = z.strictObject({ token: shortText });
const changeBody = z.strictObject({
  currentPassword: shortText,
  newPassword: shortText,
  revokeTokens: z.boolean().optional().meta({ description: 'Also revokes every personal access token.' }),
});
const profileBody = z.strictObject({ name: shortText.optional(), orcid: orcid.optional() });
const deleteBody = z.strictObject({ password: shortText.optional() });
const tokenQuery = z.object({ token: shortText });

const done = z.strictObject({ success: z.literal(true), message: z.string() });
const registered = done.extend({ email: z.string() });

const NO_TELLING = 'The answer is the same whether or not the address has an account; the rest comes by mail.';
const VERIFIED = 'The e-mail address is verified; you can log in now.';
const TOKEN_ERRORS = ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'] as const;
const example = { email: 'grace@example.org', password: 'a long password of one’s own' };

/** The life of an account: registration, passwords, profile, deletion. */
export function accountRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  const open = { caller: 'ignored', limit: 'accounts' } as const;
  const own = { caller: 'required', targets: ['esd.identity.v1.IdentityService'], limit: 'accounts' } as const;
  const sentIfKnown = {
    tag: 'Accounts',
    details: NO_TELLING,
    returns: 'That a mail is on its way, if there is a need for it.',
  } as const;
  return [
    route({
      ...open,
      method: 'post',
      path: '/auth/register',
      describe: {
        tag: 'Accounts',
        summary: 'Register',
        details: `${NO_TELLING} The account can be used once the link in the mail was followed. An address that is registered again before that chooses its password by mail.`,
        returns: 'The address to which a mail goes.',
        status: 201,
        example: { body: { ...example, name: 'Grace Example', orcid: '0000-0002-1825-0097' } },
      },
      body: jsonBody(registerBody),
      answer: registered,
      handle: async ({ body, call }, response) => {
        const { email } = await identity.register({ ...body, orcid: body.orcid ?? undefined }, call);
        const message = 'A mail is on its way to this address; follow the link in it.';
        response.status(201).set('Cache-Control', 'no-store').json({ success: true, message, email });
      },
    }),
    route({
      ...open,
      method: 'get',
      path: '/auth/verify-email',
      describe: {
        tag: 'Accounts',
        summary: 'Verify the address of a registration',
        details:
          'The link of the mail; it works once. A browser (`Accept` prefers text/html) gets a page with a button that sends the POST, so that programs that look at links use none up.',
        returns: 'That the account can be used.',
        otherTypes: ['text/html'],
        errors: TOKEN_ERRORS,
        example: { parameters: { token: 'the token of the link in the mail' } },
      },
      query: tokenQuery,
      answer: done,
      handle: async ({ query, call, request }, response) => {
        // Whoever only looks whether the link is there does not use it up.
        if (request.method === 'HEAD') {
          response.set('Cache-Control', 'no-store').type('json').end();
          return;
        }
        if (wantsPage(request)) {
          sendPage(response, 200, verifyEmailPage);
          return;
        }
        await identity.verifyEmail(query, call);
        response.set('Cache-Control', 'no-store').json({ success: true, message: VERIFIED });
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/verify-email',
      describe: {
        tag: 'Accounts',
        summary: 'Verify the address of a registration by the token of its mail',
        details: 'The token works once.',
        returns: 'That the account can be used.',
        errors: TOKEN_ERRORS,
        example: { body: { token: 'the token of the link in the mail' } },
      },
      body: jsonBody(verifyBody),
      answer: done,
      handle: async ({ body, call }, response) => {
        await identity.verifyEmail(body, call);
        response.set('Cache-Control', 'no-store').json({ success: true, message: VERIFIED });
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/resend-verification',
      describe: {
        ...sentIfKnown,
        summary: 'Have the verification mail sent again',
        example: { body: { email: example.email } },
      },
      body: jsonBody(emailBody),
      answer: done,
      handle: async ({ body, call }, response) => {
        await identity.resendVerification(body, call);
        const message = 'If this address waits to be verified, a mail is on its way to it.';
        response.set('Cache-Control', 'no-store').json({ success: true, message });
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/forgot-password',
      describe: {
        ...sentIfKnown,
        summary: 'Ask for a new password',
        example: { body: { email: example.email } },
      },
      body: jsonBody(emailBody),
      answer: done,
      handle: async ({ body, call }, response) => {
        await identity.forgotPassword(body, call);
        const message = 'If this address has an account, a mail is on its way to it.';
        response.set('Cache-Control', 'no-store').json({ success: true, message });
      },
    }),
    route({
      ...open,
      method: 'get',
      path: '/auth/reset-password',
      describe: {
        tag: 'Accounts',
        summary: 'Where the link of a mail to choose a password leads',
        details: 'A browser gets a form that sends the POST.',
        returns: 'What to do with the token.',
        otherTypes: ['text/html'],
      },
      query: tokenQuery.partial(),
      answer: done,
      handle: ({ request }, response) => {
        const message = 'Send the token with the new password by POST to this path.';
        if (wantsPage(request)) sendPage(response, 200, resetPasswordPage);
        else response.set('Cache-Control', 'no-store').json({ success: true, message });
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/reset-password',
      describe: {
        tag: 'Accounts',
        summary: 'Set a password by the token of a mail',
        details:
          'Ends every session of the account and revokes its personal access tokens. The address counts as verified from then on. The owner is told by mail.',
        returns: 'That the password is set.',
        errors: TOKEN_ERRORS,
        example: { body: { token: 'the token of the link in the mail', newPassword: example.password } },
      },
      body: jsonBody(resetBody),
      answer: done,
      handle: async ({ body, call }, response) => {
        await identity.resetPassword(body, call);
        const message =
          'The password is set, every session has ended and every personal access token is revoked; log in with the new password.';
        response.set('Cache-Control', 'no-store').json({ success: true, message });
      },
    }),
    route({
      ...own,
      method: 'post',
      path: '/auth/change-password',
      describe: {
        tag: 'Accounts',
        summary: 'Change the password',
        details:
          'Ends every session of the account but the one that asks, and revokes its personal access tokens where `revokeTokens` says so. The owner is told by mail.',
        returns: 'That the password is changed.',
        errors: ['BAD_CREDENTIALS', 'RATE_LIMITED'],
        example: {
          body: { currentPassword: 'correct horse battery staple', newPassword: example.password },
        },
      },
      body: jsonBody(changeBody),
      answer: done,
      handle: async ({ body, call }, response) => {
        await identity.changePassword(body, call);
        const message = 'The password is changed and every other session has ended.';
        response.set('Cache-Control', 'no-store').json({ success: true, message });
      },
    }),
    route({
      ...own,
      method: 'put',
      path: '/auth/profile',
      describe: {
        tag: 'Accounts',
        summary: 'Change the profile',
        details: 'A member that is left out stays as it is.',
        returns: 'The account as it is now.',
        example: { body: { name: 'Ada Example', orcid: '0000-0002-1825-0097' } },
      },
      body: jsonBody(profileBody),
      answer: profileAnswer,
      handle: async ({ body, call }, response) => {
        const changes = { ...body, orcid: body.orcid === null ? '' : body.orcid };
        const { account } = await identity.updateProfile(changes, call);
        response.set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
    route({
      ...own,
      method: 'delete',
      path: '/auth/profile',
      describe: {
        tag: 'Accounts',
        summary: 'Delete the account for good',
        details:
          'Sessions, tokens and personal data go at once; published records stay, without their author. A password is checked when it is sent; with a personal access token it has to be sent. The last administrator cannot go.',
        returns: 'That the account is gone.',
        errors: ['BAD_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
        example: { body: { password: example.password } },
      },
      body: optionalJsonBody(deleteBody),
      answer: done,
      handle: async ({ body, call }, response) => {
        await identity.deleteAccount({ password: body?.password }, call);
        response.set('Cache-Control', 'no-store').json({ success: true, message: 'The account is deleted.' });
      },
    }),
  ];
}

function wantsPage(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}
