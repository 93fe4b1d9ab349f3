import { z } from 'zod';
import type { Account } from '@esd/proto/esd/identity/v1/identity';
import { jsonBody, optionalJsonBody } from '../../http/body/json-body.ts';
import { route, type Route } from '../../http/route.ts';
import { accountRole, fromWireRole } from '../../schemas/account-role.ts';
import { shortText } from '../../schemas/short-text.ts';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { orcid, profileAnswer, profileOf } from './account-profile.ts';

const profileBody = z.strictObject({ name: shortText.optional(), orcid: orcid.optional() });
const deleteBody = z.strictObject({ password: shortText.optional() });
const meAnswer = z.strictObject({ email: z.string(), role: accountRole, enabled: z.boolean() });

const NOT_STORED = 'The response must not be stored (`Cache-Control: no-store`).';

export function profileRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  const own = { caller: 'required', targets: ['esd.identity.v1.IdentityService'] } as const;
  return [
    route({
      ...own,
      method: 'get',
      path: '/auth/me',
      describe: {
        tag: 'Accounts',
        summary: 'Get a summary of the caller’s account',
        details: NOT_STORED,
        returns: 'The email address, the role and the state of the account.',
      },
      answer: meAnswer,
      handle: async ({ call }, response) => {
        const { account } = await identity.getOwnAccount({}, call);
        response.set('Cache-Control', 'no-store').json(meOf(account));
      },
    }),
    route({
      ...own,
      method: 'get',
      path: '/auth/profile',
      describe: {
        tag: 'Accounts',
        summary: 'Get the profile of the caller',
        details: NOT_STORED,
        returns: 'The account.',
      },
      answer: profileAnswer,
      handle: async ({ call }, response) => {
        const { account } = await identity.getOwnAccount({}, call);
        response.set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
    route({
      ...own,
      method: 'put',
      path: '/auth/profile',
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Change the profile of the caller',
        details: 'Omitted members remain unchanged.',
        returns: 'The account after the change.',
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
      limit: 'accounts',
      describe: {
        tag: 'Accounts',
        summary: 'Delete the account of the caller permanently',
        details:
          'Sessions, tokens and personal data are deleted immediately. Published records remain, without their author. A password is checked if it is sent, and required with a personal access token. The last administrator cannot be deleted.',
        returns: 'A confirmation that the account is deleted.',
        errors: ['BAD_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
        example: { body: { password: 'a long and unusual password' } },
      },
      body: optionalJsonBody(deleteBody),
      answer: success,
      handle: async ({ body, call }, response) => {
        await identity.deleteAccount({ password: body?.password }, call);
        sendSuccess(response, 'The account is deleted.');
      },
    }),
  ];
}

function meOf(account: Account | undefined): z.output<typeof meAnswer> {
  if (!account) throw new Error('the response has no account');
  return { email: account.email, role: fromWireRole(account.role), enabled: account.enabled };
}
