import { z } from 'zod';
import type { DatasetStates } from '../dataset-states.ts';
import { fileHeaders, fileQuery } from '../export-format.ts';
import type { Description } from '../openapi-description.ts';
import { records } from '../page-query.ts';
import { integerText } from '../query.ts';
import { type Input, route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';
import { listed, versionList } from './versions.ts';

const versionId = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });
const jsonQuery = z.object({
  logDownload: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .meta({ description: 'Whether the download is counted.' }),
});

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const ofFile = {
  tag: 'Downloads',
  answerHeaders: fileHeaders,
  revalidates: true,
  ranges: true,
} satisfies Partial<Description>;

/** Downloads without filters, the counter of downloads, and the versions with their ids. */
export function cacheDownloadRoutes(
  states: DatasetStates,
  { exportBytes, usage, versions }: Pick<Upstream, 'exportBytes' | 'usage' | 'versions'>,
): Route[] {
  const send = (
    { request, call }: Pick<Input<unknown, unknown, unknown>, 'request' | 'call'>,
    response: Parameters<typeof exportBytes>[1],
    parameters: Readonly<Record<string, string | undefined>>,
  ): Promise<void> => {
    request.url = `/public/dataset/export?${fileQuery(parameters)}`;
    // So that a file is never older than a page read before it.
    return exportBytes(request, response, { ...call, stateSeen: states.seen() });
  };
  const file = { method: 'get', caller: 'ignored', limit: 'exports' } as const;
  return [
    route({
      ...file,
      path: '/cache/download/excel',
      describe: {
        ...ofFile,
        summary: 'The latest dataset as .xlsx',
        returns: 'The file.',
        otherTypes: [XLSX],
      },
      handle: (input, response) => send(input, response, { format: 'xlsx' }),
    }),
    route({
      ...file,
      path: '/cache/download/json',
      describe: {
        ...ofFile,
        summary: 'The latest dataset as .json',
        returns: 'An array of records, in ascending order of recordId.',
      },
      query: jsonQuery,
      answer: records,
      handle: (input, response) => send(input, response, { format: 'json', count: input.query.logDownload }),
    }),
    route({
      ...file,
      path: '/cache/download/images',
      describe: {
        ...ofFile,
        summary: 'The images of the latest dataset as .zip',
        returns: 'The archive, with manifest.csv.',
        otherTypes: ['application/zip'],
      },
      handle: (input, response) => send(input, response, { format: 'zip' }),
    }),
    route({
      ...file,
      path: '/cache/download/excel/:id',
      describe: {
        ...ofFile,
        summary: 'A version as .xlsx',
        details: 'The `id` is that of `/cache/download/versions`.',
        returns: 'The file that was stored with the version.',
        otherTypes: [XLSX],
        errors: ['VERSION_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: versionId,
      handle: (input, response) => send(input, response, { format: 'xlsx', versionId: String(input.parameters.id) }),
    }),
    route({
      ...file,
      path: '/cache/download/images/:id',
      describe: {
        ...ofFile,
        summary: 'The images of a version as .zip',
        details: 'The `id` is that of `/cache/download/versions`.',
        returns: 'The archive that was stored with the version.',
        otherTypes: ['application/zip'],
        errors: ['VERSION_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: versionId,
      handle: (input, response) => send(input, response, { format: 'zip', versionId: String(input.parameters.id) }),
    }),
    route({
      method: 'get',
      path: '/cache/download/count',
      caller: 'ignored',
      describe: {
        tag: 'Downloads',
        summary: 'How many files were downloaded',
        details:
          'Whole files only: neither parts, nor what a caller held already; json under `/cache` with `logDownload=true`.',
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
        summary: 'Frozen versions of the dataset, with their ids',
        returns: 'The versions, the newest first.',
      },
      answer: versionList,
      handle: async ({ call }, response) => {
        const list = (await versions.listVersions({}, call)).versions.map(listed);
        response.set('Cache-Control', 'no-cache').json(list);
      },
    }),
  ];
}
