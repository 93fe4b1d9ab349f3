import type { Renderer } from '@esd/pages/page';
import { openReferenceLists } from '@esd/dataset-client/reference-lists';
import type { References } from '@esd/record/reference/reference';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** Serves the page for entering experiments; as JSON, the reference lists that its script validates with. */
export function contributePageRoutes(renderer: Renderer, { reference }: Pick<Upstream, 'reference'>): Route[] {
  const lists = openReferenceLists(reference);
  let written: { references: References; json: string } | undefined;
  return [
    pageRoute(renderer, {
      path: '/contribute',
      show: async ({ call }) => ({
        page: { kind: 'contribute' },
        path: '/contribute',
        json: async () => {
          const { references } = await lists.refresh(call);
          if (written?.references !== references) written = { references, json: JSON.stringify(references.lists) };
          return written.json;
        },
      }),
    }),
  ];
}
