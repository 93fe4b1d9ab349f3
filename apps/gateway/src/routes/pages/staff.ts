import type { Renderer } from '@esd/pages/page';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** Serves the pages of moderators and administrators: frames that scripts fill after sign-in. */
export function staffPageRoutes(renderer: Renderer): Route[] {
  return (['moderate', 'manage'] as const).map((kind) =>
    pageRoute(renderer, { path: `/${kind}`, show: async () => ({ page: { kind }, path: `/${kind}` }) }),
  );
}
