import { exploreOne, papersQuestion } from '@esd/dataset-client/explore-one';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { Call } from '../../http/call.ts';
import { publicPath } from '../../http/public-url.ts';
import { tags, tagSlug } from '@esd/api/operation';
import { route, type Route } from '../../http/route.ts';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const PAGE = { method: 'get', caller: 'ignored', limit: 'pages', isAtRootOnly: true, describe: 'page' } as const;
/** URLs per part of the sitemap; sitemaps.org allows 50,000. */
const PART = 10_000;
/** Papers per part; each one is read with its title. */
const PAPERS_PART = 1_000;
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
        const disallowed = ['/explore?', '/search?', '/docs?', '/public/dataset?', '/api/', '/session'];
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
        const { total: paperCount } = await readPapers(dataset, states, { skip: 0, limit: 1 }, call);
        const { publicRoot } = request.exchange;
        const partsOf = (name: string, count: number) =>
          Array.from({ length: Math.ceil(count) }, (_, at) => `sitemap-${name}-${at + 1}.xml`);
        const names = [
          'sitemap-pages.xml',
          ...partsOf('records', recordCount / PART),
          ...partsOf('papers', paperCount / PAPERS_PART),
        ];
        const maps = names.map((name) => `<sitemap><loc>${publicRoot}/${name}</loc></sitemap>`);
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
          '/about',
          '/privacy',
          '/data-dictionary',
          '/docs',
          ...Object.keys(tags).map((tag) => `/docs/${tagSlug(tag)}`),
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
        const ids = await recordIds(dataset, states, indexOf(part) * PART, call);
        if (ids.length === 0) throw new ServiceError('ROUTE_NOT_FOUND', `The sitemap has no part ${part}.`);
        response.set({ 'Cache-Control': 'no-cache', 'Content-Type': XML });
        response.send(urlSet(ids.map((id) => `${request.exchange.publicRoot}/record/${id}`)));
      },
    }),
    route({
      ...PAGE,
      path: '/sitemap-papers-:part.xml',
      parameters: z.object({ part: z.string() }),
      handle: async ({ parameters: { part }, request, call }, response) => {
        const page = { skip: indexOf(part) * PAPERS_PART, limit: PAPERS_PART };
        const { data } = await readPapers(dataset, states, page, call);
        if (data.length === 0) throw new ServiceError('ROUTE_NOT_FOUND', `The sitemap has no part ${part}.`);
        response.set({ 'Cache-Control': 'no-cache', 'Content-Type': XML });
        const { publicRoot } = request.exchange;
        response.send(urlSet(data.map(({ doi }) => `${publicRoot}/paper/${encodeURIComponent(doi)}`)));
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
          status: [{ href: `${root}/status`, type: 'application/json' }],
        };
        const tools = {
          anchor: `${root}/mcp`,
          'service-doc': [{ href: `${root}/docs`, type: 'text/html' }],
        };
        const items = [{ href: anchor }, { href: tools.anchor }];
        const linkset = [{ anchor: `${root}/.well-known/api-catalog`, item: items }, item, tools];
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

/** Returns the index of a part, which is named by its number from 1. Throws ROUTE_NOT_FOUND. */
function indexOf(part: string): number {
  if (!/^[1-9]\d{0,4}$/.test(part)) throw new ServiceError('ROUTE_NOT_FOUND', `The sitemap has no part "${part}".`);
  return Number(part) - 1;
}

const papersAnswer = z.object({ data: z.array(z.object({ doi: z.string() })), total: z.int() });

async function readPapers(
  dataset: Pick<Upstream['dataset'], 'explore'>,
  states: DatasetStates,
  page: { skip: number; limit: number },
  call: Call,
): Promise<z.output<typeof papersAnswer>> {
  const question = papersQuestion({ ...page, citations: true });
  const { answerJson } = await exploreOne(dataset, { question, atLeast: states.latest() }, call);
  return papersAnswer.parse(JSON.parse(Buffer.from(answerJson).toString()));
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
