import type { Renderer } from '@esd/pages/page';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** Serves the account page, which is the same for all users; its script handles sign-in. */
export function accountPageRoutes(renderer: Renderer): Route[] {
  return [
    pageRoute(renderer, {
      path: '/account',
      show: () => Promise.resolve({ page: { kind: 'account' }, path: '/account' }),
    }),
  ];
}
