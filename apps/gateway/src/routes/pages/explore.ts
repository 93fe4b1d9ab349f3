import type { Renderer } from '@esd/pages/page';
import { exploreDataSchema } from '@esd/pages/explore-data';
import { type ExplorePage, partsOf } from '@esd/pages/explore-page';
import { LATEST, readView, viewQuery } from '@esd/pages/explore-view';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { KnownRelease, Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import type { HtmlPages } from '../../cache/html-pages.ts';
import type { Route } from '../../http/route.ts';
import { exploreData, jsonObject, readParts } from '../../pages/explore-data.ts';
import { pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** Serves /explore. The URL contains the whole state, and also returns the data as JSON. */
export function explorePageRoutes(
  renderer: Renderer,
  htmlCache: HtmlPages,
  states: DatasetStates,
  releases: Releases,
  dataset: Upstream['dataset'],
  facts: DatasetFacts,
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
  return [
    pageRoute(renderer, {
      path: '/explore',
      cache: htmlCache,
      show: async ({ request, call }) => {
        const parameters = new URLSearchParams(request.url.split('?')[1] ?? '');
        const requested = readView(parameters);
        const release = await find(requested.view.version, call);
        const isKnown = release !== undefined || requested.view.version === LATEST;
        const view = { ...requested.view, version: release?.identifier ?? LATEST };
        const ignored = [...requested.ignored, ...(isKnown ? [] : [`version=${requested.view.version}`])];
        const parts = readParts(parameters.get('parts')) ?? partsOf(view);
        const [members, listed] = await Promise.all([dataOf({ view, parts, release }, call), releases.listed(call)]);
        const page = (): ExplorePage => ({
          kind: 'explore',
          view,
          ignored,
          releases: listed.releases.map(({ identifier }) => identifier),
          api: request.exchange.publicRoot,
          facts,
          data: exploreDataSchema.parse(JSON.parse(jsonObject(members).toString())),
        });
        return {
          page,
          path: `/explore${viewQuery(view)}`,
          json: () => jsonObject(new Map([['ignored', Buffer.from(JSON.stringify(ignored))], ...members])),
        };
      },
    }),
  ];
}
