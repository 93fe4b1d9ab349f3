import type { z } from 'zod';
import type { Account } from '@esd/proto/esd/identity/v1/identity';
import type { meAnswer } from '@esd/api/accounts';
import { changeProfile, deleteProfile, getMe, getProfile } from '@esd/api/accounts';
import type { Route } from '../../http/route.ts';
import { fromWireRole } from '../../schemas/account-role.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { profileOf } from './account-profile.ts';
import { serve } from '../../http/serve.ts';

const TARGETS = ['esd.identity.v1.IdentityService'] as const;

export function profileRoutes({ identity }: Pick<Upstream, 'identity'>): Route[] {
  return [
    serve(getMe, {
      targets: TARGETS,
      handle: async ({ call }, response) => {
        const { account } = await identity.getOwnAccount({}, call);
        response.set('Cache-Control', 'no-store').json(meOf(account));
      },
    }),
    serve(getProfile, {
      targets: TARGETS,
      handle: async ({ call }, response) => {
        const { account } = await identity.getOwnAccount({}, call);
        response.set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
    serve(changeProfile, {
      targets: TARGETS,
      handle: async ({ body, call }, response) => {
        const changes = { ...body, orcid: body.orcid === null ? '' : body.orcid };
        const { account } = await identity.updateProfile(changes, call);
        response.set('Cache-Control', 'no-store').json(profileOf(account));
      },
    }),
    serve(deleteProfile, {
      targets: TARGETS,
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
