import { forgotPassword } from '@esd/api/accounts';
import { shortText } from '@esd/api/short-text';
import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { changePassword, resetPassword, showPasswordReset } from '@esd/api/accounts';
import { hasFields, jsonOrFieldsBody } from '../../http/body/json-body.ts';
import type { Route } from '../../http/route.ts';
import { answerMailForm, prefersHtml, sendMailPage } from '../../pages/mail-page.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { emailRequest } from './email-request.ts';
import { serve } from '../../http/serve.ts';

const resetBody = z.strictObject({ token: shortText, newPassword: shortText });

export function passwordRoutes({ identity }: Pick<Upstream, 'identity'>, renderer: Renderer): Route[] {
  const purpose = 'reset-password';
  return [
    emailRequest(
      forgotPassword,
      'If this address has an account, an email has been sent to it.',
      identity.forgotPassword,
    ),
    serve(showPasswordReset, {
      handle: ({ query: { token }, request }, response) => {
        if (!prefersHtml(request)) {
          sendSuccess(response, 'Send the token and the new password by POST to this path.');
          return;
        }
        const problem = token === undefined ? 'This link is incomplete. Open the link from the email.' : undefined;
        sendMailPage(renderer, { purpose, token, problem }, request, response);
      },
    }),
    serve(resetPassword, {
      body: jsonOrFieldsBody(resetBody),
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
    serve(changePassword, {
      targets: ['esd.identity.v1.IdentityService'],
      handle: async ({ body, call }, response) => {
        await identity.changePassword(body, call);
        const message = 'The password is changed and every other session has ended.';
        sendSuccess(response, message);
      },
    }),
  ];
}
