import {
  downloadExcel,
  downloadJson,
  downloadImages,
  downloadReleaseExcel,
  downloadReleaseImages,
  countDownloads,
  listDownloadReleases,
} from '@esd/api/downloads';
import type { Response } from 'express';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { exportRequest, type RequestedFile } from '../../dataset/export-format.ts';
import type { Input, Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { listed } from '../public/dataset-releases.ts';

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
  return [
    serve(downloadExcel, {
      handle: (input, response) => send(input, response, { format: 'xlsx' }),
    }),
    serve(downloadJson, {
      handle: (input, response) =>
        send(input, response, { format: 'json', counted: input.query.logDownload === 'true' }),
    }),
    serve(downloadImages, {
      handle: (input, response) => send(input, response, { format: 'zip' }),
    }),
    serve(downloadReleaseExcel, {
      handle: (input, response) => send(input, response, { format: 'xlsx', source: releaseById(input.parameters.id) }),
    }),
    serve(downloadReleaseImages, {
      handle: (input, response) => send(input, response, { format: 'zip', source: releaseById(input.parameters.id) }),
    }),
    serve(countDownloads, {
      handle: async ({ call }, response) => {
        const { downloads } = await usage.getUsage({}, call);
        response.set('Cache-Control', 'no-store').json(downloads);
      },
    }),
    serve(listDownloadReleases, {
      handle: async ({ call }, response) => {
        const list = (await releases.listReleases({}, call)).releases.map(listed);
        response
          .set('Cache-Control', 'no-cache')
          .json(list.map((one) => ({ ...one, description: one.description ?? null })));
      },
    }),
  ];
}
