import type { Renderer } from '@esd/pages/page';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { listContributors } from '@esd/api/contributors';
import type { Call } from '../http/call.ts';
import type { Route } from '../http/route.ts';
import { pageRoute } from '../pages/page-route.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { serve } from '../http/serve.ts';

export function contributorRoutes(
  renderer: Renderer,
  { contributors: service }: Pick<Upstream, 'contributors'>,
): Route[] {
  const listed = async (call: Call) => (await service.listContributors({}, call)).contributors;
  return [
    pageRoute(renderer, {
      path: '/contributors',
      show: async ({ call }) => {
        const list = await listed(call);
        return {
          page: { kind: 'contributors', contributors: list },
          path: '/contributors',
          json: () => JSON.stringify(list),
        };
      },
    }),
    serve(listContributors, {
      handle: async ({ request, call }, response) => {
        const list = await listed(call);
        const tag = textTag(JSON.stringify(list));
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
        else response.json(list);
      },
    }),
  ];
}
