import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import { readApiFilter } from '@esd/pages/api-filter';
import type { Renderer } from '@esd/pages/page';
import type { CitedDataset, ExploreData } from '@esd/pages/explore-data';
import { type ExplorePage, partsOf } from '@esd/pages/explore-page';
import { type ExploreView, LATEST, readView, viewQuery, withFilter } from '@esd/pages/explore-view';
import { exactValues } from '@esd/record/filter/category-values';
import { exactText } from '@esd/record/filter/exact-text';
import { citationText } from '@esd/record/metadata/formats/text';
import { ServiceError } from '@esd/service/errors';
import { z } from 'zod';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import type { KnownRelease, Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import type { HtmlPages } from '../../cache/html-pages.ts';
import type { Route } from '../../http/route.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { exploreData, type ExploreQuestions, jsonObject, readParts } from '../../pages/explore-data.ts';
import { type PageAnswer, pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

interface Sources {
  states: DatasetStates;
  releases: Releases;
  descriptions: Descriptions;
  dataset: Upstream['dataset'];
  lists: ReferenceLists;
}

const exploreAnswer = z
  .looseObject({
    revision: z.int().meta({ description: 'The dataset revision.' }),
    size: z.int().meta({ description: 'The number of records of the dataset or release.' }),
    total: z.int().meta({ description: 'The number of matching records.' }),
    ignored: z.array(z.string()).meta({ description: 'The invalid parameters of the URL.' }),
  })
  .meta({ id: 'ExploreView' });

/** Serves /explore. The URL contains the whole state, and also returns the data as JSON. */
export function explorePageRoutes(
  renderer: Renderer,
  htmlCache: HtmlPages,
  { states, releases, descriptions, dataset, lists }: Sources,
): Route[] {
  const dataOf = exploreData(dataset, states);
  /** Returns the named release; undefined for the latest dataset and for an unknown name. */
  const find = async (name: string, call: Call): Promise<KnownRelease | undefined> => {
    if (name === LATEST) return undefined;
    try {
      return await releases.find(name, call);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'VERSION_NOT_FOUND') return undefined;
      throw error;
    }
  };
  /** Reads the data of a view without the conditions that the reference lists refuse. */
  const readData = async (questions: ExploreQuestions, call: Call) => {
    const refused: string[] = [];
    for (let { view } = questions; ;) {
      try {
        return { view, refused, members: await dataOf({ ...questions, view }, call) };
      } catch (error) {
        const [problem] = error instanceof ServiceError ? (error.details.errors ?? []) : [];
        const member = view.filter.find(([key]) => key === problem?.path);
        if (problem?.code !== 'INVALID_FILTER' || member === undefined) throw error;
        refused.push(`${member.join('=')} (${problem.message.replace(/\.$/, '')})`);
        view = withFilter(view, { [member[0]]: undefined });
      }
    }
  };
  const citedDataset = async (name: string, call: Call): Promise<CitedDataset | undefined> => {
    try {
      const description = await descriptions.ofDataset(name, call);
      const { papers: _, variables: _ranges, issued, ...cited } = description;
      return { ...cited, issued: issued.toISOString(), citation: citationText(description).trim() };
    } catch (error) {
      // An empty dataset has no citation.
      if (error instanceof ServiceError && error.code === 'UNAVAILABLE') return undefined;
      throw error;
    }
  };
  return [
    pageRoute(renderer, {
      path: '/explore',
      describe: {
        tag: 'Analysis',
        summary: 'Get the data of the page /explore',
        details:
          'The response is HTML unless `Accept` prefers application/json. The query contains the state of the page; `docs/explore.md` in the repository describes it. With `filter`, a filter of the API, the response is a redirect to the parameters of the page.',
        returns: 'The data of the page. `parts` selects some of them.',
        otherTypes: ['text/html'],
        redirects: {
          status: 302,
          when: 'The query contains `filter`, a valid filter of the API. `Location` is the page with the same conditions and the other parameters of the query. An invalid filter is ignored; the page and `ignored` state the reason.',
        },
        revalidates: true,
      },
      answer: exploreAnswer,
      cache: htmlCache,
      open: ({ request, call }) => {
        const { searchParams: parameters } = new URL(request.url, 'http://localhost');
        const apiFilter = readApiFilter(parameters);
        parameters.delete('filter');
        const requested = readView(parameters);
        const parts = readParts(parameters.get('parts')) ?? partsOf(requested.view);
        const show = async (): Promise<PageAnswer> => {
          if (apiFilter.kind === 'filter') return { redirect: `/explore${apiFilter.query}` };
          const release = await find(requested.view.version, call);
          const isKnown = release !== undefined || requested.view.version === LATEST;
          const version = release?.identifier ?? LATEST;
          const requestedView = { ...(await withListValues(requested.view, lists, call)), version };
          const [{ view, members, refused }, listed, cited] = await Promise.all([
            readData({ view: requestedView, parts, release }, call),
            releases.listed(call),
            citedDataset(requestedView.version, call),
          ]);
          const ignored = [
            ...(apiFilter.kind === 'problem' ? [`filter (${apiFilter.message.replace(/\.$/, '')})`] : []),
            ...requested.ignored,
            ...refused,
            ...(isKnown ? [] : [`version=${requested.view.version}`]),
          ];
          const data = new Map<string, Uint8Array>([
            ...members,
            ...(cited ? [['cited', Buffer.from(JSON.stringify(cited))] as const] : []),
          ]);
          const page = (): ExplorePage => {
            const dataJson = jsonObject(data);
            return {
              kind: 'explore',
              build: renderer.build,
              view,
              ignored,
              releases: listed.releases.map(({ identifier }) => identifier),
              api: request.exchange.publicRoot,
              data: parseJson<ExploreData>(dataJson),
              dataJson: dataJson.toString(),
            };
          };
          return {
            page,
            path: `/explore${viewQuery(view)}`,
            json: () => jsonObject(new Map([['ignored', Buffer.from(JSON.stringify(ignored))], ...data])),
            isPartial: cited === undefined || ignored.length > 0,
          };
        };
        // A page that reports ignored parameters belongs to its URL.
        const isCached = apiFilter.kind === 'none' && requested.ignored.length === 0;
        const address = JSON.stringify([viewQuery(requested.view), [...new Set(parts)].sort()]);
        return { address: isCached ? address : undefined, show };
      },
    }),
  ];
}

/** Replaces the exact values of a view by those of the facets: `=AC` selects the value ACETONE. Most views have none. */
async function withListValues(view: ExploreView, lists: ReferenceLists, call: Call): Promise<ExploreView> {
  if (view.conditions.every(({ kind }) => kind !== 'values')) return view;
  const { references } = await lists.refresh(call);
  return view.conditions.reduce((changed, condition) => {
    if (condition.kind !== 'values') return changed;
    const values = exactValues(condition, references);
    if (values.join('|') === condition.values.join('|')) return changed;
    return { ...withFilter(changed, { [condition.key]: exactText(values) }), page: view.page };
  }, view);
}
