import { beginTwoFactor, confirmTwoFactor, disableTwoFactor, getTwoFactor } from '@esd/api/two-factor';
import type { Route } from '../../http/route.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

const TARGETS = ['esd.identity.v1.TwoFactorService'] as const;

/** Returns the routes of two-factor sign-in with codes of an authenticator app (TOTP, RFC 6238). */
export function twoFactorRoutes({ twoFactor }: Pick<Upstream, 'twoFactor'>): Route[] {
  return [
    serve(getTwoFactor, {
      targets: TARGETS,
      handle: async (input, response) => {
        response.set('Cache-Control', 'no-store').json(await twoFactor.getTwoFactor({}, input.call));
      },
    }),
    serve(beginTwoFactor, {
      targets: TARGETS,
      handle: async ({ body, call }, response) => {
        response.set('Cache-Control', 'no-store').json(await twoFactor.beginTwoFactor(body, call));
      },
    }),
    serve(confirmTwoFactor, {
      targets: TARGETS,
      handle: async ({ body, call }, response) => {
        response.set('Cache-Control', 'no-store').json(await twoFactor.confirmTwoFactor(body, call));
      },
    }),
    serve(disableTwoFactor, {
      targets: TARGETS,
      handle: async ({ body, call }, response) => {
        await twoFactor.disableTwoFactor(body, call);
        sendSuccess(response, 'Two-factor sign-in is off.');
      },
    }),
  ];
}
