import type { Renderer } from '@esd/pages/page';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import { releaseEntry } from '../../pages/release-entry.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** The pages of releases. */
export function releasePageRoutes(renderer: Renderer, { versions }: Pick<Upstream, 'versions'>): Route[] {
  return [
    pageRoute(renderer, {
      path: '/releases',
      show: async ({ call }) => {
        const list = await versions.listVersions({}, call);
        return { page: { kind: 'releases', releases: list.versions.map(releaseEntry) }, place: '/releases' };
      },
    }),
  ];
}
