import { z } from 'zod';
import { jsonBody } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import { shortText } from '../../schemas/short-text.ts';
import { success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { orcid } from './account-profile.ts';

const registerBody = z.strictObject({
  email: shortText,
  password: shortText,
  name: shortText,
  orcid: orcid.optional(),
});

/** The OpenAPI text of calls that must not reveal whether an address has an account. */
export const SAME_ANSWER =
  'The response is the same whether or not the address has an account. All further information is sent by email.';

export function registerRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/auth/register',
      caller: 'ignored',
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Register an account',
        details: `${SAME_ANSWER} The account can be used once the user has followed the link in the email. If the address is registered again before that, the user chooses the password through the link.`,
        returns: 'The address to which the email is sent.',
        status: 201,
        example: {
          body: {
            email: 'grace@example.org',
            password: 'a long and unusual password',
            name: 'Grace Example',
            orcid: '0000-0002-1825-0097',
          },
        },
      },
      body: jsonBody(registerBody),
      answer: success.extend({ email: z.string() }),
      handle: async ({ body, call }, response) => {
        const { email } = await identity.register({ ...body, orcid: body.orcid ?? undefined }, call);
        const message = 'An email has been sent to this address; follow the link in it.';
        response.status(201).set('Cache-Control', 'no-store').json({ success: true, message, email });
      },
    }),
  ];
}
