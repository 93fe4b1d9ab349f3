import type { Renderer } from '@esd/pages/page';
import { readPercentiles } from '@esd/dataset-client/percentiles';
import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import type { References } from '@esd/record/reference/reference';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** Serves the page for entering experiments; as JSON, the reference lists and percentiles that its script reads with. */
export function contributePageRoutes(
  renderer: Renderer,
  { dataset }: Pick<Upstream, 'dataset'>,
  lists: ReferenceLists,
): Route[] {
  let written: { references: References; percentiles: string; json: string } | undefined;
  return [
    pageRoute(renderer, {
      path: '/contribute',
      show: async ({ call }) => ({
        page: { kind: 'contribute' },
        path: '/contribute',
        json: async () => {
          const { references } = await lists.refresh(call);
          const percentiles = JSON.stringify(await readPercentiles(dataset, call));
          if (written?.references !== references || written.percentiles !== percentiles) {
            const start = JSON.stringify(references.lists).slice(0, -1);
            written = { references, percentiles, json: `${start},"percentiles":${percentiles}}` };
          }
          return written.json;
        },
      }),
    }),
  ];
}
