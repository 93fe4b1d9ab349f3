import { docsInitializer, docsPage, swaggerFiles, swaggerFolder, swaggerVersion } from '../pages/docs-page.ts';
import { route, type Route } from '../http/route.ts';

const headers = {
  'Cache-Control': 'no-cache',
  // The style sheet of Swagger UI contains images as data: URLs.
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Returns the routes of /docs, which loads only files of this service. */
export function docsRoutes(): Route[] {
  const get = { method: 'get', caller: 'ignored', describe: 'page' } as const;
  return [
    route({
      ...get,
      path: '/docs',
      handle: ({ request }, response) => {
        // A trailing slash would change the target of relative references.
        if (request.path.endsWith('/')) response.redirect(308, '../docs');
        else response.set(headers).type('html').send(docsPage);
      },
    }),
    route({
      ...get,
      path: '/docs/initializer.js',
      handle: (_input, response) => {
        response.set('Cache-Control', 'no-cache').type('js').send(docsInitializer);
      },
    }),
    ...swaggerFiles.map((file) =>
      route({
        ...get,
        path: `/docs/${swaggerVersion}/${file}`,
        handle: (_input, response) =>
          new Promise<void>((resolve, reject) => {
            const sent = (error?: Error): void => (error && !response.destroyed ? reject(error) : resolve());
            response.sendFile(file, { root: swaggerFolder, maxAge: '1y', immutable: true }, sent);
          }),
      }),
    ),
  ];
}
