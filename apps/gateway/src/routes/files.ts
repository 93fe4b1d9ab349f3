import { LATEST, releasePath } from '@esd/api/release-name';
import { fileHeaders, fileTypes } from '@esd/api/export-format';
import { z } from 'zod';
import { BUNDLE, MANIFEST, stableFileNames } from '@esd/record/catalog/file-formats';
import { releaseUrl } from '@esd/record/metadata/description';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { FILE_MS } from '../dataset/export-format.ts';
import type { Releases } from '../dataset/releases.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { locationOf } from '../http/public-url.ts';
import { route, type Route } from '../http/route.ts';
import { fileLinks, linkHeader } from '../http/signposting.ts';
import type { Upstream } from '../upstream/upstream.ts';

const REVISION = /^r\d{1,15}$/;
const NAMES = stableFileNames.map((name) => `\`${name}\``).join(', ');

export function fileRoutes(
  states: DatasetStates,
  releases: Releases,
  { exportBytes }: Pick<Upstream, 'exportBytes'>,
  limits: RateLimits,
): Route[] {
  return [
    route({
      method: 'get',
      path: '/files/*version/:name',
      caller: 'ignored',
      limit: 'files',
      describe: {
        tag: 'Downloads',
        summary: 'Download a stable file of a release',
        details: `The name is one of ${NAMES}. Files of a release never change, except \`${MANIFEST}\` and \`${BUNDLE}\`, which contain the current metadata of the release. Programs that read Parquet over HTTP fetch only the ranges that they need. The rate limit of this class counts bytes. \`docs/metadata.md\` in the repository explains the files.`,
        returns: 'The file.',
        otherTypes: fileTypes,
        redirects: { status: 307, when: '`version` is `latest` or a DOI. The file is at `Location`.' },
        answerHeaders: {
          ...fileHeaders,
          'Repr-Digest': 'The SHA-256 of the whole file (RFC 9530); absent for `bundle.zip`.',
          Link: 'The landing page of the release and its typed links.',
        },
        revalidates: true,
        ranges: true,
        errors: ['VERSION_NOT_FOUND', 'ROUTE_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0', name: 'records.parquet' } },
      },
      parameters: z.object({
        version: releasePath.meta({
          type: 'string',
          description: 'A release identifier, a DOI, `latest`, or `r` and the number of a dataset revision.',
        }),
        name: z.string().meta({ description: `One of ${NAMES}.` }),
      }),
      handle: async ({ parameters: { version, name }, request, call }, response) => {
        if (!stableFileNames.includes(name)) {
          throw new ServiceError('ROUTE_NOT_FOUND', `There is no file "${name.slice(0, 60)}"; known files: ${NAMES}.`);
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
        response.set('Link', linkHeader(fileLinks(page)));
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
