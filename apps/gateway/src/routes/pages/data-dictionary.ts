import type { ResponseAt } from '@esd/api/operations';
import { LATEST } from '@esd/api/release-name';
import { exploreOne } from '@esd/dataset-client/explore-one';
import type { Renderer } from '@esd/pages/page';
import type { HtmlPages } from '../../cache/html-pages.ts';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** Serves the features and categories as a page; as JSON, the response of `/metadata/features`. */
export function dataDictionaryRoutes(
  renderer: Renderer,
  htmlCache: HtmlPages,
  states: DatasetStates,
  { dataset }: Pick<Upstream, 'dataset'>,
): Route[] {
  return [
    pageRoute(renderer, {
      path: '/data-dictionary',
      cache: htmlCache,
      show: async ({ call }) => {
        const question = { $case: 'keys', value: {} } as const;
        const of = { question, version: LATEST, atLeast: states.latest() };
        const json = Buffer.from((await exploreOne(dataset, of, call)).answerJson);
        return {
          page: () => ({ kind: 'data-dictionary', ...parseJson<ResponseAt<'get', '/metadata/features'>>(json) }),
          path: '/data-dictionary',
          json: () => json,
        };
      },
    }),
  ];
}
