import { exploreOne, papersQuestion } from '@esd/dataset-client/explore-one';
import type { QueryPage, Renderer } from '@esd/pages/page';
import type { Papers } from '@esd/pages/explore-data';
import type { Feature } from '@esd/record/filter/filter-keys';
import { z } from 'zod';
import type { HtmlPages } from '../../cache/html-pages.ts';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import type { PublicQueries } from '../../dataset/public-queries.ts';
import type { Route } from '../../http/route.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { readKnown } from '../../metadata/read-known.ts';
import { readFigure } from '../../pages/diameter-figure.ts';
import { pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { queryAnswer } from '../public/queries.ts';

interface Sources {
  states: DatasetStates;
  queries: PublicQueries;
  descriptions: Descriptions;
  upstream: Pick<Upstream, 'dataset'>;
}

const MAX_PAPERS = 1_000;
/** The settings of the plot; of two that place as many records, the first one. */
const SETTINGS: readonly Feature[] = ['concentration', 'voltage', 'flowRate', 'tipDist'];

const filterMembers = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));

/** Serves the page of a public query; as JSON, the response of `/public/queries/{id}`. */
export function queryPageRoutes(
  renderer: Renderer,
  htmlCache: HtmlPages,
  { states, queries, descriptions, upstream: { dataset } }: Sources,
): Route[] {
  return [
    pageRoute(renderer, {
      path: '/query/:id',
      parameters: z.object({ id: z.string() }),
      cache: htmlCache,
      show: async ({ parameters: { id }, request, call }) => {
        const query = await queries.find(id, call);
        const of = { queryId: id, revision: query.state.revision, atLeast: states.latest() };
        const [cited, { answerJson, ...others }, figure] = await Promise.all([
          descriptions.ofQuery(id, call),
          exploreOne(
            dataset,
            { ...of, question: papersQuestion({ limit: MAX_PAPERS }), papers: true, names: true },
            call,
          ),
          readFigure(dataset, { ...of, filter: [] }, SETTINGS, call),
        ]);
        const { sort, fields, once } = query;
        const page: QueryPage = {
          kind: 'query',
          cited,
          // Validated when the query was created.
          filter: filterMembers.parse(JSON.parse(query.filterJson)),
          sort,
          fields,
          once,
          papers: parseJson<Papers>(answerJson),
          figure,
          known: readKnown(others),
        };
        return {
          page,
          path: `/query/${id}`,
          json: () => JSON.stringify(queryAnswer(query, `${request.exchange.publicRoot}/public/queries/${id}`)),
        };
      },
    }),
  ];
}
