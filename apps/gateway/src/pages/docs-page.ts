import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { z } from 'zod';

const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');

export const swaggerFolder = dirname(manifest);
export const { version: swaggerVersion } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(manifest, 'utf8')));
export const swaggerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;
export const docsInitializer = readFileSync(new URL('docs-initializer.js', import.meta.url), 'utf8');

/** The page at /docs. Without a trailing slash, its references are relative to the parent folder. */
export const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Electrospinning Dataset Service</title>
    <link rel="stylesheet" href="docs/${swaggerVersion}/swagger-ui.css" />
    <link rel="icon" type="image/png" href="docs/${swaggerVersion}/favicon-32x32.png" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="docs/${swaggerVersion}/swagger-ui-bundle.js"></script>
    <script src="docs/initializer.js"></script>
  </body>
</html>
`;
