import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { Call } from '../../http/call.ts';
import { publicPath } from '../../http/public-url.ts';
import { route, type Route } from '../../http/route.ts';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const PAGE = { method: 'get', caller: 'ignored', limit: 'pages', describe: 'page' } as const;
/** Record URLs per part of the sitemap; sitemaps.org allows 50,000. */
const PART = 10_000;
const XML = 'application/xml; charset=utf-8';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** Serves robots.txt, the sitemap in parts, and the API catalog (RFC 9727). */
export function crawlerRoutes(
  states: DatasetStates,
  { dataset, releases }: Pick<Upstream, 'dataset' | 'releases'>,
): Route[] {
  return [
    route({
      ...PAGE,
      path: '/robots.txt',
      handle: ({ request }, response) => {
        const { publicRoot } = request.exchange;
        const base = publicPath(request.exchange);
        // Each combination of filters would be a URL.
        const disallowed = ['/explore?', '/search?', '/public/dataset?', '/api/', '/session'];
        const lines = ['User-agent: *', ...disallowed.map((path) => `Disallow: ${base}${path}`)];
        // The protocol requires an absolute URL.
        const sitemap = publicRoot === '' ? [] : [`Sitemap: ${publicRoot}/sitemap.xml`];
        response.set('Cache-Control', 'public, max-age=86400').type('text/plain; charset=utf-8');
        response.send(`${[...lines, ...sitemap].join('\n')}\n`);
      },
    }),
    route({
      ...PAGE,
      path: '/sitemap.xml',
      handle: async ({ request, call }, response) => {
        const { recordCount } = await states.current(call);
        const { publicRoot } = request.exchange;
        const parts = Array.from({ length: Math.ceil(recordCount / PART) }, (_, at) => `sitemap-records-${at + 1}.xml`);
        const maps = ['sitemap-pages.xml', ...parts].map(
          (name) => `<sitemap><loc>${publicRoot}/${name}</loc></sitemap>`,
        );
        response.set({ 'Cache-Control': 'no-cache', 'Content-Type': XML });
        response.send(
          `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex ${NAMESPACE}>${maps.join('\n')}</sitemapindex>\n`,
        );
      },
    }),
    route({
      ...PAGE,
      path: '/sitemap-pages.xml',
      handle: async ({ request, call }, response) => {
        const list = await releases.listReleases({}, call);
        const names = ['latest', ...list.releases.map(({ identifier }) => identifier)];
        const paths = [
          '/',
          '/releases',
          '/contributors',
          '/contribute',
          ...names.map((name) => `/release/${encodeURIComponent(name)}`),
        ];
        response.set({ 'Cache-Control': 'no-cache', 'Content-Type': XML });
        response.send(urlSet(paths.map((path) => request.exchange.publicRoot + path)));
      },
    }),
    route({
      ...PAGE,
      path: '/sitemap-records-:part.xml',
      parameters: z.object({ part: z.string() }),
      handle: async ({ parameters: { part }, request, call }, response) => {
        const at = /^[1-9]\d{0,4}$/.test(part) ? Number(part) - 1 : NaN;
        if (Number.isNaN(at)) throw new ServiceError('ROUTE_NOT_FOUND', `The sitemap has no part "${part}".`);
        const ids = await recordIds(dataset, states, at * PART, call);
        if (ids.length === 0) throw new ServiceError('ROUTE_NOT_FOUND', `The sitemap has no part ${part}.`);
        response.set({ 'Cache-Control': 'no-cache', 'Content-Type': XML });
        response.send(urlSet(ids.map((id) => `${request.exchange.publicRoot}/record/${id}`)));
      },
    }),
    route({
      ...PAGE,
      path: '/.well-known/api-catalog',
      handle: ({ request }, response) => {
        const { publicRoot: root } = request.exchange;
        const anchor = `${root}/public/dataset`;
        const item = {
          anchor,
          'service-desc': [{ href: `${root}/openapi.json`, type: 'application/json' }],
          'service-doc': [{ href: `${root}/docs`, type: 'text/html' }],
          status: [{ href: `${root}/ready`, type: 'application/json' }],
        };
        const linkset = [{ anchor: `${root}/.well-known/api-catalog`, item: [{ href: anchor }] }, item];
        response.set({
          'Cache-Control': 'public, max-age=86400',
          'Content-Type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
          Link: `<${root}/.well-known/api-catalog>; rel="api-catalog"`,
        });
        response.send(Buffer.from(JSON.stringify({ linkset })));
      },
    }),
  ];
}

const MAX_PAGE = 1_000;
const withId = z.array(z.object({ recordId: z.int() }));

async function recordIds(
  dataset: Pick<Upstream['dataset'], 'queryRecords'>,
  states: DatasetStates,
  skip: number,
  call: Call,
): Promise<number[]> {
  const ids: number[] = [];
  let revision: number | undefined;
  while (ids.length < PART) {
    const limit = Math.min(MAX_PAGE, PART - ids.length);
    const query = {
      skip: skip + ids.length,
      limit,
      revision,
      atLeast: states.latest(),
      filter: undefined,
      sort: [],
      fields: ['recordId'],
      normalized: false,
      once: false,
    };
    const { recordsJson, state } = await dataset.queryRecords(query, call);
    const found = withId.parse(JSON.parse(`[${Buffer.from(recordsJson).toString()}]`));
    if (found.length === 0) break;
    ids.push(...found.map(({ recordId }) => recordId));
    revision = state?.revision;
  }
  return ids;
}

function urlSet(addresses: readonly string[]): string {
  const urls = addresses.map((address) => `<url><loc>${address}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACE}>${urls.join('\n')}</urlset>\n`;
}
