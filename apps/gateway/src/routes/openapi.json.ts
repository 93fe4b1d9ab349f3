import { z } from 'zod';
import { type HtmlPages, sendCachedText } from '../cache/html-pages.ts';
import { type Route, route } from '../http/route.ts';

// The OpenAPI specification defines the other members.
const anyDocument: z.ZodType = z.looseObject({ openapi: z.string() });
const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns the route of the OpenAPI 3.1 document. */
export function openApiRoute(pages: HtmlPages, openApi: () => object): Route {
  const text = { mediaType: JSON_TYPE, make: () => Promise.resolve(JSON.stringify(openApi())) };
  return route({
    method: 'get',
    path: '/openapi.json',
    caller: 'ignored',
    describe: { tag: 'Service', summary: 'Get this document', returns: 'An OpenAPI 3.1 document.', revalidates: true },
    answer: anyDocument,
    handle: ({ request, call }, response) => sendCachedText(pages, text, { request, call }, response),
  });
}
