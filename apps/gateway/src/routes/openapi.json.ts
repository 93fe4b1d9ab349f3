import { getOpenApi } from '@esd/api/service';
import { type HtmlPages, sendCachedText } from '../cache/html-pages.ts';
import type { Route } from '../http/route.ts';
import { serve } from '../http/serve.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns the route of the OpenAPI 3.1 document. */
export function openApiRoute(pages: HtmlPages, openApi: () => object): Route {
  const text = { mediaType: JSON_TYPE, make: () => Promise.resolve(JSON.stringify(openApi())) };
  return serve(getOpenApi, {
    handle: ({ request, call }, response) => sendCachedText(pages, text, { request, call }, response),
  });
}
