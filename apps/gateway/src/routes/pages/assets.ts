import { ServiceError } from '@esd/service/errors';
import { z } from 'zod';
import { IMMUTABLE } from '../../dataset/named-state.ts';
import { route, type Route } from '../../http/route.ts';
import type { WebBundle } from '../../pages/web-bundle.ts';

// In order of preference: the smallest first.
const CODINGS = ['br', 'zstd', 'gzip', 'identity'];

/** Serves the files of web pages. They never change, because their names contain a hash of the content. */
export function assetRoutes({ assets }: Pick<WebBundle, 'assets'>): Route[] {
  const icon = [...assets].find(([name]) => name.startsWith('touch-icon-'))?.[1];
  return [
    route({
      method: 'get',
      // Programs that do not read the links of pages request the icon at this path.
      path: '/favicon.ico',
      caller: 'ignored',
      limit: 'none',
      isAtRootOnly: true,
      describe: 'page',
      handle: (_input, response) => {
        const bytes = icon?.encodings.get('identity');
        if (!icon || !bytes) throw new ServiceError('ROUTE_NOT_FOUND', 'There is no icon.');
        response.set({ 'Cache-Control': 'public, max-age=86400', 'Content-Type': icon.mediaType });
        response.set('Content-Length', String(bytes.length)).end(bytes);
      },
    }),
    route({
      method: 'get',
      path: '/assets/:name',
      caller: 'ignored',
      limit: 'none',
      isAtRootOnly: true,
      describe: 'page',
      parameters: z.object({ name: z.string() }),
      handle: ({ parameters: { name }, request }, response) => {
        const asset = assets.get(name);
        if (!asset) {
          // Another replica may have it: during a rollout, pages of both software releases are in use.
          response.set('Cache-Control', 'no-store');
          throw new ServiceError('ROUTE_NOT_FOUND', `There is no asset "${name}".`);
        }
        const { mediaType, encodings } = asset;
        const known = CODINGS.filter((coding) => encodings.has(coding));
        const coding = request.acceptsEncodings(known);
        const chosen = coding === false ? 'identity' : coding;
        const bytes = encodings.get(chosen) ?? Buffer.alloc(0);
        response.set({ 'Cache-Control': IMMUTABLE, Vary: 'Accept-Encoding', 'Content-Type': mediaType });
        if (chosen !== 'identity') response.set('Content-Encoding', chosen);
        response.set('Content-Length', String(bytes.length)).end(bytes);
      },
    }),
  ];
}
