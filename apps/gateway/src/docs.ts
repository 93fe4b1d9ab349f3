import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { z } from 'zod';
import { route, type Route } from './route.ts';

const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
const folder = dirname(manifest);
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, 'utf8')));

/** The files of Swagger UI that the page needs, in a folder whose name changes with their version. */
const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;
const initializer = readFileSync(new URL('docs-initializer.js', import.meta.url), 'utf8');

// The page stands at /docs without a slash: what it names is relative to the folder above.
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Electrospinning Dataset Service</title>
    <link rel="stylesheet" href="docs/${version}/swagger-ui.css" />
    <link rel="icon" type="image/png" href="docs/${version}/favicon-32x32.png" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="docs/${version}/swagger-ui-bundle.js"></script>
    <script src="docs/initializer.js"></script>
  </body>
</html>
`;

const headers = {
  'Cache-Control': 'no-cache',
  // The style sheet of Swagger UI holds its pictures.
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** GET /docs: a page that shows /openapi.json, made of files of the service alone. */
export function docsRoutes(): Route[] {
  const get = { method: 'get', caller: 'ignored', describe: 'page' } as const;
  return [
    route({
      ...get,
      path: '/docs',
      handle: ({ request }, response) => {
        // With a slash at the end its references would lead elsewhere.
        if (request.path.endsWith('/')) response.redirect(308, '../docs');
        else response.set(headers).type('html').send(page);
      },
    }),
    route({
      ...get,
      path: '/docs/initializer.js',
      handle: (_input, response) => {
        response.set('Cache-Control', 'no-cache').type('js').send(initializer);
      },
    }),
    ...assets.map((file) =>
      route({
        ...get,
        path: `/docs/${version}/${file}`,
        handle: (_input, response) =>
          new Promise<void>((resolve, reject) => {
            const sent = (error?: Error): void => (error && !response.destroyed ? reject(error) : resolve());
            response.sendFile(file, { root: folder, maxAge: '1y', immutable: true }, sent);
          }),
      }),
    ),
  ];
}
