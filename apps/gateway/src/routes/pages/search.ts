import { filterToWire } from '@esd/dataset-client/filter-wire';
import { readFilter } from '../../http/query.ts';
import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import type { Renderer } from '@esd/pages/page';
import { exactText } from '@esd/record/filter/exact-text';
import { searchParameters, parseSearch } from '@esd/record/search/parse-search';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/**
 * Serves the search box. `?q=` redirects to the named record or release, or to /explore with the conditions. A page
 * appears only if a part of the text is ambiguous or unknown; `&as=0,1` lists the chosen meanings in order.
 */
export function searchPageRoutes(
  renderer: Renderer,
  { dataset, releases }: Pick<Upstream, 'dataset' | 'releases'>,
  lists: ReferenceLists,
): Route[] {
  return [
    pageRoute(renderer, {
      path: '/search',
      show: async ({ request, call }) => {
        const query = new URLSearchParams(request.url.split('?')[1] ?? '');
        const text = (query.get('q') ?? '').toWellFormed();
        const { references } = await lists.refresh(call);
        const found = parseSearch(text, references);
        if (found.kind === 'record') return { redirect: `/record/${found.recordId}` };
        if (found.kind === 'paper') {
          const { doi } = found;
          const all = await releases.listReleases({}, call);
          const release = all.releases.find((release) => release.doi === doi);
          if (release) return { redirect: `/release/${encodeURIComponent(release.identifier)}` };
          return { redirect: explore({ doi: exactText([doi]) }) };
        }
        // For each choice, the number of the meaning; empty if not yet chosen.
        const chosen = (query.get('as') ?? '').split(',').slice(0, found.choices.length);
        const selected = found.choices.map(({ options }, at) =>
          options.find((_, option) => String(option) === chosen[at]),
        );
        const conditions = [...found.conditions, ...selected.filter((one) => one !== undefined)];
        const { leftOut: ignored } = found;
        const parameters = searchParameters(conditions);
        if (ignored.length === 0 && selected.every((one) => one !== undefined))
          return { redirect: explore(parameters) };
        const addressAs = (at: number, option: number): string => {
          const as = found.choices.map((_, other) => (other === at ? String(option) : (chosen[other] ?? '')));
          return `/search?${new URLSearchParams({ q: text, as: as.join(',') }).toString()}`;
        };
        const choices = found.choices.flatMap(({ text: part, options }, at) =>
          selected[at]
            ? []
            : [
                {
                  text: part,
                  options: options.map(({ name, value }, option) => ({ name, value, address: addressAs(at, option) })),
                },
              ],
        );
        const { total } = await dataset.explainFilter(
          { filter: filterToWire(readFilter(JSON.stringify(parameters))), once: false },
          call,
        );
        return {
          page: { kind: 'search', text, conditions, choices, ignored, total },
          path: `/search?${new URLSearchParams({ q: text }).toString()}`,
        };
      },
    }),
  ];
}

/** Returns the URL of /explore with one parameter for each key of the filter. */
function explore(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? '/explore' : `/explore?${query}`;
}
