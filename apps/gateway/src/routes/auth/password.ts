import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { hasFields, jsonBody, jsonOrFieldsBody } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import { answerMailForm, prefersHtml, sendMailPage } from '../../pages/mail-page.ts';
import { shortText } from '../../schemas/short-text.ts';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { emailRequest } from './email-request.ts';

const resetBody = z.strictObject({ token: shortText, newPassword: shortText });
const changeBody = z.strictObject({
  currentPassword: shortText,
  newPassword: shortText,
  revokeTokens: z.boolean().optional().meta({ description: 'Also revoke every personal access token.' }),
});
const tokenQuery = z.object({ token: shortText.optional() });

const NEW_PASSWORD = 'a long and unusual password';

export function passwordRoutes({ identity }: Pick<Upstream, 'identity'>, renderer: Renderer): Route[] {
  const open = { caller: 'ignored', limit: 'accounts' } as const;
  const purpose = 'reset-password';
  return [
    emailRequest({
      path: '/auth/forgot-password',
      summary: 'Request a password reset email',
      send: identity.forgotPassword,
      message: 'If this address has an account, an email has been sent to it.',
    }),
    route({
      ...open,
      method: 'get',
      path: '/auth/reset-password',
      describe: {
        tag: 'Accounts',
        summary: 'Open the link from a password reset email',
        details: 'A browser gets a form that sends the POST request.',
        returns: 'Instructions for using the token.',
        otherTypes: ['text/html'],
      },
      query: tokenQuery,
      answer: success,
      handle: ({ query: { token }, request }, response) => {
        if (!prefersHtml(request)) {
          sendSuccess(response, 'Send the token and the new password by POST to this path.');
          return;
        }
        const problem = token === undefined ? 'This link is incomplete. Open the link from the email.' : undefined;
        sendMailPage(renderer, { purpose, token, problem }, request, response);
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/reset-password',
      describe: {
        tag: 'Accounts',
        summary: 'Set a password with the token from an email',
        details:
          'Ends every session of the account, revokes its personal access tokens, and marks the address as verified. The owner is notified by email.',
        returns: 'A confirmation that the password is set.',
        errors: ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'],
        example: { body: { token: 'the token of the link in the email', newPassword: NEW_PASSWORD } },
      },
      body: jsonOrFieldsBody(resetBody),
      answer: success,
      handle: async ({ body, call, request }, response) => {
        const reset = () => identity.resetPassword(body, call);
        if (hasFields(request)) {
          await answerMailForm(renderer, { purpose, token: body.token }, reset, request, response);
          return;
        }
        await reset();
        const message =
          'The password is set. Every session has ended, and every personal access token is revoked. Sign in with the new password.';
        sendSuccess(response, message);
      },
    }),
    route({
      method: 'post',
      path: '/auth/change-password',
      caller: 'required',
      targets: ['esd.identity.v1.IdentityService'],
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Change the password',
        details:
          'Ends every other session of the account, and revokes its personal access tokens if `revokeTokens` is true. The owner is notified by email.',
        returns: 'A confirmation that the password is changed.',
        errors: ['BAD_CREDENTIALS', 'RATE_LIMITED'],
        example: { body: { currentPassword: 'correct horse battery staple', newPassword: NEW_PASSWORD } },
      },
      body: jsonBody(changeBody),
      answer: success,
      handle: async ({ body, call }, response) => {
        await identity.changePassword(body, call);
        const message = 'The password is changed and every other session has ended.';
        sendSuccess(response, message);
      },
    }),
  ];
}
