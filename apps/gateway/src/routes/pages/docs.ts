import type { Request } from 'express';
import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { cacheAddress, type HtmlPages } from '../../cache/html-pages.ts';
import type { Description } from '@esd/api/operation';
import type { Route } from '../../http/route.ts';
import { type ApiDocs, apiDocs } from '../../openapi/api-docs.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** The address in examples if the public URL is unknown: that of a local service. */
const LOCAL_URL = 'http://localhost:8080';

const ofPage = {
  tag: 'Service',
  otherTypes: ['text/html'],
  revalidates: true,
} satisfies Partial<Description>;

/** Serves the API documentation, which is derived from the OpenAPI document on first use. */
export function docsPageRoutes(renderer: Renderer, cache: HtmlPages, openApi: () => object): Route[] {
  let made: ApiDocs | undefined;
  const docs = (): ApiDocs => (made ??= apiDocs(openApi()));
  return [
    pageRoute(renderer, {
      path: '/docs',
      describe: {
        ...ofPage,
        summary: 'Read the API documentation',
        details: '`?q=` selects the operations whose method, path or summary contains each of its words.',
        returns: 'The web page.',
      },
      cache,
      open: ({ request }) => {
        const search = searchOf(request);
        return {
          address: search === '' ? cacheAddress({ request }) : undefined,
          show: () => Promise.resolve({ page: () => docs().index(search), path: '/docs' }),
        };
      },
    }),
    pageRoute(renderer, {
      path: '/docs/:group',
      describe: {
        ...ofPage,
        summary: 'Read the documentation of a group of operations',
        returns: 'The web page, with parameters, responses, errors and examples of each operation.',
        errors: ['ROUTE_NOT_FOUND'],
        example: { parameters: { group: 'dataset' } },
      },
      parameters: z.object({
        group: z.string().meta({ description: 'The name of the group in lower case, with hyphens.' }),
      }),
      cache,
      show: ({ parameters: { group }, request }) => {
        const { publicRoot } = request.exchange;
        const page = docs().group(group, publicRoot === '' ? LOCAL_URL : publicRoot);
        if (!page) {
          throw new ServiceError(
            'ROUTE_NOT_FOUND',
            `The API documentation has no group ${describe(group)}; /docs lists all groups.`,
          );
        }
        return Promise.resolve({ page, path: `/docs/${group}` });
      },
    }),
  ];
}

function searchOf({ url }: Pick<Request, 'url'>): string {
  return (new URLSearchParams(url.split('?')[1] ?? '').get('q') ?? '').trim().toWellFormed();
}
