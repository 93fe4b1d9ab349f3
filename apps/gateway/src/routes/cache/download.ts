import { fileHeaders, fileType } from '@esd/api/export-format';
import { records } from '@esd/api/record-list';
import type { Response } from 'express';
import { z } from 'zod';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { exportRequest, type RequestedFile } from '../../dataset/export-format.ts';
import type { Description } from '@esd/api/operation';
import { integerText } from '@esd/api/number-text';
import { type Input, route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { release } from '@esd/api/releases';
import { listed } from '../public/dataset-releases.ts';

const releaseId = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });
const jsonQuery = z.object({
  logDownload: z.enum(['true', 'false']).default('false').meta({ description: 'Whether the download is counted.' }),
});

const ofFile = {
  tag: 'Downloads',
  answerHeaders: fileHeaders,
  revalidates: true,
  ranges: true,
} satisfies Partial<Description>;

export function cacheDownloadRoutes(
  states: DatasetStates,
  { exportBytes, usage, releases }: Pick<Upstream, 'exportBytes' | 'usage' | 'releases'>,
): Route[] {
  const send = (
    { request, call }: Pick<Input<unknown, unknown, unknown>, 'request' | 'call'>,
    response: Response,
    requested: RequestedFile,
  ): Promise<void> =>
    // The file must not be older than a page that the client read before.
    exportBytes(exportRequest(requested), request, response, Object.assign(call, { stateSeen: states.latest() }));
  const releaseById = (id: number) => ({ $case: 'releaseId', value: id }) as const;
  const file = { method: 'get', caller: 'ignored', limit: 'exports' } as const;
  return [
    route({
      ...file,
      path: '/cache/download/excel',
      describe: {
        ...ofFile,
        summary: 'Download the latest dataset as .xlsx',
        returns: 'The file.',
        otherTypes: [fileType('xlsx')],
      },
      handle: (input, response) => send(input, response, { format: 'xlsx' }),
    }),
    route({
      ...file,
      path: '/cache/download/json',
      describe: {
        ...ofFile,
        summary: 'Download the latest dataset as .json',
        returns: 'An array of records in ascending order of `recordId`.',
      },
      query: jsonQuery,
      answer: records,
      handle: (input, response) =>
        send(input, response, { format: 'json', counted: input.query.logDownload === 'true' }),
    }),
    route({
      ...file,
      path: '/cache/download/images',
      describe: {
        ...ofFile,
        summary: 'Download the images of the latest dataset as .zip',
        returns: 'The archive, with `manifest.csv`.',
        otherTypes: [fileType('zip')],
      },
      handle: (input, response) => send(input, response, { format: 'zip' }),
    }),
    route({
      ...file,
      path: '/cache/download/excel/:id',
      describe: {
        ...ofFile,
        summary: 'Download a release as .xlsx',
        details: '`id` is the `id` in `/cache/download/versions`.',
        returns: 'The stored file of the release.',
        otherTypes: [fileType('xlsx')],
        errors: ['VERSION_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: releaseId,
      handle: (input, response) => send(input, response, { format: 'xlsx', source: releaseById(input.parameters.id) }),
    }),
    route({
      ...file,
      path: '/cache/download/images/:id',
      describe: {
        ...ofFile,
        summary: 'Download the images of a release as .zip',
        details: '`id` is the `id` in `/cache/download/versions`.',
        returns: 'The stored archive of the release.',
        otherTypes: [fileType('zip')],
        errors: ['VERSION_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: releaseId,
      handle: (input, response) => send(input, response, { format: 'zip', source: releaseById(input.parameters.id) }),
    }),
    route({
      method: 'get',
      path: '/cache/download/count',
      caller: 'ignored',
      describe: {
        tag: 'Downloads',
        summary: 'Get the number of downloads',
        details:
          'Counts only complete files, not range requests or 304 responses. `/cache/download/json` counts only with `logDownload=true`.',
        returns: 'The number.',
      },
      answer: z.int().min(0),
      handle: async ({ call }, response) => {
        const { downloads } = await usage.getUsage({}, call);
        response.set('Cache-Control', 'no-store').json(downloads);
      },
    }),
    route({
      method: 'get',
      path: '/cache/download/versions',
      caller: 'ignored',
      describe: {
        tag: 'Downloads',
        summary: 'List the releases of the dataset with their ids',
        returns: 'The releases, newest first.',
      },
      answer: z.array(release.extend({ description: z.string().nullable() })),
      handle: async ({ call }, response) => {
        const list = (await releases.listReleases({}, call)).releases.map(listed);
        response
          .set('Cache-Control', 'no-cache')
          .json(list.map((one) => ({ ...one, description: one.description ?? null })));
      },
    }),
  ];
}
