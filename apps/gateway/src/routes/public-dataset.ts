import type { Response } from 'express';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import { matchesEntityTag, parseEntityTags } from '@esd/service/entity-tag';
import { linkHeader } from '../link-header.ts';
import { integerText } from '../query.ts';
import { route, type Input, type Route } from '../route.ts';
import { heldState, stateTag } from '../state-tag.ts';
import type { Upstream } from '../upstream.ts';

const pageQuery = z.object({
  skip: integerText(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: integerText(1, 1000).default(100),
  filter: z.string().optional(),
});

const exportQuery = z.object({
  format: z.enum(['xlsx', 'json', 'zip'], 'must be xlsx, json or zip').optional(),
  version: z.string().optional(),
  filter: z.string().optional(),
});

const versionQuery = z.object({ ...pageQuery.shape, ...exportQuery.shape });

/** Open reads of the dataset. */
export function publicDatasetRoutes({ dataset, exportBytes }: Pick<Upstream, 'dataset' | 'exportBytes'>): Route[] {
  const readLatest = async (
    { query: { skip, limit, filter }, call, request }: Input<z.output<typeof pageQuery>, unknown, unknown>,
    response: Response,
  ): Promise<void> => {
    if (filter !== undefined) throw new ServiceError('NOT_IMPLEMENTED', 'Filters are not available yet.');
    const held = parseEntityTags(request.headers['if-none-match']);
    const part = `${skip}.${limit}`;
    const known = heldState(held, part);
    let page = await dataset.queryRecords({ skip, limit, knownRevision: known?.revision }, call);
    if (known && page.state?.revision === known.revision && page.state.datasetId !== known.datasetId) {
      // The page was left out because of a tag of another dataset, which had the same revision.
      page = await dataset.queryRecords({ skip, limit }, call);
    }
    if (!page.state) throw new Error('a page without its state');
    const tag = stateTag(page.state, part);
    response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
    if (matchesEntityTag(held, tag)) {
      response.status(304).end();
      return;
    }
    const { total, recordsJson } = page;
    // The records were checked when they were written: their bytes go out as they are.
    const body = Buffer.concat([
      Buffer.from('{"data":'),
      recordsJson,
      Buffer.from(`,"total":${total},"skip":${skip},"limit":${limit},"version":"latest"}`),
    ]);
    response.set({ 'Content-Type': 'application/json; charset=utf-8', Link: linkHeader({ skip, limit, total }) });
    response.send(body);
  };
  const versionsLater = (path: string): Route =>
    route({
      method: 'get',
      path,
      caller: 'ignored',
      query: versionQuery,
      handle: () => {
        throw new ServiceError('NOT_IMPLEMENTED', 'Versions are not available yet; the latest dataset is.');
      },
    });
  return [
    route({ method: 'get', path: '/public/dataset', caller: 'ignored', query: pageQuery, handle: readLatest }),
    route({ method: 'get', path: '/public/dataset/latest', caller: 'ignored', query: pageQuery, handle: readLatest }),
    route({
      method: 'get',
      path: '/public/dataset/export',
      caller: 'ignored',
      query: exportQuery,
      handle: async ({ request, call }, response) => {
        await exportBytes(request, response, call);
      },
    }),
    versionsLater('/public/dataset/versions'),
    // The version may be a DOI, whose slashes stand in the path.
    versionsLater('/public/dataset/*version'),
  ];
}
