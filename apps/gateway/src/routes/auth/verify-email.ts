import { resendVerification } from '@esd/api/accounts';
import { shortText } from '@esd/api/short-text';
import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import type { VerifyEmailResponse } from '@esd/proto/esd/identity/v1/identity';
import { showEmailVerification, verifyEmail } from '@esd/api/accounts';
import { hasFields, jsonOrFieldsBody } from '../../http/body/json-body.ts';
import type { Route } from '../../http/route.ts';
import { answerMailForm, prefersHtml, sendMailPage } from '../../pages/mail-page.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { emailRequest } from './email-request.ts';
import { serve } from '../../http/serve.ts';

const verifyBody = z.strictObject({ token: shortText });

export function verifyEmailRoutes({ identity }: Pick<Upstream, 'identity'>, renderer: Renderer): Route[] {
  const purpose = 'verify-email';
  const messageOf = ({ alreadyVerified }: VerifyEmailResponse) =>
    alreadyVerified
      ? 'The email address is already verified; you can sign in.'
      : 'The email address is verified; you can sign in now.';
  return [
    serve(showEmailVerification, {
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
    serve(verifyEmail, {
      body: jsonOrFieldsBody(verifyBody),
      handle: async ({ body, call, request }, response) => {
        const verify = () => identity.verifyEmail(body, call);
        if (hasFields(request)) {
          await answerMailForm(renderer, { purpose, token: body.token }, verify, request, response);
          return;
        }
        sendSuccess(response, messageOf(await verify()));
      },
    }),
    emailRequest(
      resendVerification,
      'If this address still has to be verified, an email has been sent to it.',
      identity.resendVerification,
    ),
  ];
}
