import { FILE_NAMES, getStableFile } from '@esd/api/files';
import { LATEST } from '@esd/api/release-name';
import { stableFileNames } from '@esd/record/catalog/file-formats';
import { releaseUrl } from '@esd/record/metadata/description';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { FILE_MS } from '../dataset/export-format.ts';
import type { Releases } from '../dataset/releases.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { locationOf } from '../http/public-url.ts';
import type { Route } from '../http/route.ts';
import { serve } from '../http/serve.ts';
import { fileLinks, typedLinkHeader } from '../http/signposting.ts';
import type { Upstream } from '../upstream/upstream.ts';

const REVISION = /^r\d{1,15}$/;

export function fileRoutes(
  states: DatasetStates,
  releases: Releases,
  { exportBytes }: Pick<Upstream, 'exportBytes'>,
  limits: RateLimits,
): Route[] {
  return [
    serve(getStableFile, {
      handle: async ({ parameters: { version, name }, request, call }, response) => {
        if (!stableFileNames.includes(name)) {
          throw new ServiceError(
            'ROUTE_NOT_FOUND',
            `There is no file "${name.slice(0, 60)}"; known files: ${FILE_NAMES}.`,
          );
        }
        const target =
          version === LATEST
            ? `r${(await states.current(call)).revision}`
            : REVISION.test(version)
              ? version
              : (await releases.find(version, call)).identifier;
        if (target !== version) {
          response
            .status(307)
            .set('Location', locationOf(request, `/files/${target}/${name}`))
            .set('Cache-Control', 'no-cache')
            .end();
          return;
        }
        const page = releaseUrl(request.exchange.publicRoot, REVISION.test(target) ? LATEST : target);
        response.set('Link', typedLinkHeader(fileLinks(page)));
        const { ip } = request.exchange;
        const inner = {
          path: `/files/${target}/${name}`,
          answerMs: FILE_MS,
          onBytes: (bytes: number) => {
            limits.sent(ip, bytes);
          },
        };
        // A replica must know the newest revision to find its files.
        await exportBytes(inner, request, response, Object.assign(call, { stateSeen: states.latest() }));
      },
    }),
  ];
}
