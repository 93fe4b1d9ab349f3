import { z } from 'zod';
import { jsonBody } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import { prefersHtml, sendPage } from '../../pages/html-page.ts';
import { verifyEmailPage } from '../../pages/verify-email-page.ts';
import { shortText } from '../../schemas/short-text.ts';
import { success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { SAME_ANSWER } from './register.ts';

const verifyBody = z.strictObject({ token: shortText });
const emailBody = z.strictObject({ email: shortText });

const VERIFIED = 'The e-mail address is verified; you can log in now.';
const TOKEN_ERRORS = ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'] as const;

/** Verification of the e-mail address of a registration. */
export function verifyEmailRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  const open = { caller: 'ignored', limit: 'accounts' } as const;
  return [
    route({
      ...open,
      method: 'get',
      path: '/auth/verify-email',
      describe: {
        tag: 'Accounts',
        summary: 'Verify an e-mail address through the link in the e-mail',
        details:
          'The link works once. A browser (`Accept` prefers text/html) gets a page with a button that sends the POST, so that programs that check links do not use it up.',
        returns: 'A confirmation that the account can be used.',
        otherTypes: ['text/html'],
        errors: TOKEN_ERRORS,
        example: { parameters: { token: 'the token of the link in the e-mail' } },
      },
      query: z.object({ token: shortText }),
      answer: success,
      handle: async ({ query, call, request }, response) => {
        // A program that only checks whether the link works does not use it up.
        if (request.method === 'HEAD') {
          response.set('Cache-Control', 'no-store').type('json').end();
          return;
        }
        if (prefersHtml(request)) {
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
        summary: 'Verify an e-mail address by the token in the e-mail',
        details: 'The token works once.',
        returns: 'A confirmation that the account can be used.',
        errors: TOKEN_ERRORS,
        example: { body: { token: 'the token of the link in the e-mail' } },
      },
      body: jsonBody(verifyBody),
      answer: success,
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
        tag: 'Accounts',
        summary: 'Send the verification e-mail again',
        details: SAME_ANSWER,
        returns: 'A confirmation that an e-mail is sent if one is needed.',
        example: { body: { email: 'grace@example.org' } },
      },
      body: jsonBody(emailBody),
      answer: success,
      handle: async ({ body, call }, response) => {
        await identity.resendVerification(body, call);
        const message = 'If this address still has to be verified, an e-mail has been sent to it.';
        response.set('Cache-Control', 'no-store').json({ success: true, message });
      },
    }),
  ];
}
