import { createHash } from 'node:crypto';
import { z } from 'zod';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import { type Route, route } from '../http/route.ts';
import { isDescribed, openApiDocument } from '../openapi/openapi-document.ts';

// The OpenAPI specification defines the other members.
const anyDocument: z.ZodType = z.looseObject({ openapi: z.string() });

/** Returns the route of the OpenAPI 3.1 document of `others` and itself. The document is built once. */
export function openApiRoute(others: readonly Route[]): Route {
  const self: Route = route({
    method: 'get',
    path: '/openapi.json',
    caller: 'ignored',
    describe: { tag: 'Service', summary: 'Get this document', returns: 'An OpenAPI 3.1 document.', revalidates: true },
    answer: anyDocument,
    handle: ({ request }, response) => {
      const { text, tag } = document();
      response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
      if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
      else response.type('json').send(text);
    },
  });
  let made: { text: string; tag: string } | undefined;
  const document = () => {
    if (made) return made;
    const text = JSON.stringify(openApiDocument([...others, self].filter(isDescribed)));
    return (made = { text, tag: createHash('sha256').update(text).digest('base64url') });
  };
  return self;
}
