import type { Renderer } from '@esd/pages/page';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** The account page. It is the same for everybody: who is signed in is the business of its script. */
export function accountPageRoutes(renderer: Renderer): Route[] {
  return [
    pageRoute(renderer, {
      path: '/account',
      show: () => Promise.resolve({ page: { kind: 'account' }, place: '/account' }),
    }),
  ];
}
