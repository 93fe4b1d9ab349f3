import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import type { VerifyEmailResponse } from '@esd/proto/esd/identity/v1/identity';
import { hasFields, jsonOrFieldsBody } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import { answerMailForm, prefersHtml, sendMailPage } from '../../pages/mail-page.ts';
import { shortText } from '../../schemas/short-text.ts';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { emailRequest } from './email-request.ts';

const verifyBody = z.strictObject({ token: shortText });

const TOKEN_ERRORS = ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'] as const;

export function verifyEmailRoutes({ identity }: Pick<Upstream, 'identity'>, renderer: Renderer): Route[] {
  const open = { caller: 'ignored', limit: 'accounts' } as const;
  const purpose = 'verify-email';
  const messageOf = ({ alreadyVerified }: VerifyEmailResponse) =>
    alreadyVerified
      ? 'The email address is already verified; you can sign in.'
      : 'The email address is verified; you can sign in now.';
  return [
    route({
      ...open,
      method: 'get',
      path: '/auth/verify-email',
      describe: {
        tag: 'Accounts',
        summary: 'Verify an email address with the link from the email',
        details:
          'A browser (`Accept` prefers text/html) gets a page with a button that sends the POST request. For 24 hours after the verification, the link returns 200 again, because mail scanners open links before people do. After that, the link is refused.',
        returns: 'A confirmation that the account can be used.',
        otherTypes: ['text/html'],
        errors: TOKEN_ERRORS,
        example: { parameters: { token: 'the token of the link in the email' } },
      },
      query: z.object({ token: shortText }),
      answer: success,
      handle: async ({ query, call, request }, response) => {
        // HEAD comes from link checkers; it must not use up the link.
        if (request.method === 'HEAD') {
          response.set('Cache-Control', 'no-store').type('json').end();
          return;
        }
        if (prefersHtml(request)) {
          const { alreadyVerified } = await identity.verifyEmail({ ...query, onlyCheck: true }, call);
          const token = alreadyVerified ? undefined : query.token;
          const page = { purpose, token, problem: undefined, isAlreadyVerified: alreadyVerified } as const;
          sendMailPage(renderer, page, request, response);
          return;
        }
        sendSuccess(response, messageOf(await identity.verifyEmail(query, call)));
      },
    }),
    route({
      ...open,
      method: 'post',
      path: '/auth/verify-email',
      describe: {
        tag: 'Accounts',
        summary: 'Verify an email address with the token from the email',
        details: 'For 24 hours after the verification, the same token returns 200 again. After that, it is refused.',
        returns: 'A confirmation that the account can be used.',
        errors: TOKEN_ERRORS,
        example: { body: { token: 'the token of the link in the email' } },
      },
      body: jsonOrFieldsBody(verifyBody),
      answer: success,
      handle: async ({ body, call, request }, response) => {
        const verify = () => identity.verifyEmail(body, call);
        if (hasFields(request)) {
          await answerMailForm(renderer, { purpose, token: body.token }, verify, request, response);
          return;
        }
        sendSuccess(response, messageOf(await verify()));
      },
    }),
    emailRequest({
      path: '/auth/resend-verification',
      summary: 'Send the verification email again',
      send: identity.resendVerification,
      message: 'If this address still has to be verified, an email has been sent to it.',
    }),
  ];
}
