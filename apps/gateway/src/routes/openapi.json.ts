import { createHash } from 'node:crypto';
import { z } from 'zod';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import { type Route, route } from '../http/route.ts';

// The OpenAPI specification defines the other members.
const anyDocument: z.ZodType = z.looseObject({ openapi: z.string() });

/** Returns the route of the OpenAPI 3.1 document. */
export function openApiRoute(openApi: () => object): Route {
  let made: { text: string; tag: string } | undefined;
  const document = () => {
    if (made) return made;
    const text = JSON.stringify(openApi());
    return (made = { text, tag: createHash('sha256').update(text).digest('base64url') });
  };
  return route({
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
}
