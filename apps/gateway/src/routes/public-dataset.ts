import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { z } from 'zod';
import { type Filter, filterKey } from '@esd/record/filter';
import { parseFilter } from '@esd/record/parse-filter';
import { ServiceError } from '@esd/service/errors';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/entity-tag';
import { linkHeader } from '../link-header.ts';
import { integerText } from '../query.ts';
import { type Call, route, type Input, type Route } from '../route.ts';
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
    { query: { skip, limit, filter: text }, call, request }: Input<z.output<typeof pageQuery>, unknown, unknown>,
    response: Response,
  ): Promise<void> => {
    const filter = text === undefined ? [] : readFilter(text);
    const question = { skip, limit, filterJson: filter.length > 0 ? text : undefined };
    const held = parseEntityTags(request.headers['if-none-match']);
    const part = [skip, limit, ...(filter.length > 0 ? [textTag(filterKey(filter))] : [])].join('.');
    const known = heldState(held, part);
    let page = await dataset.queryRecords({ ...question, knownRevision: known?.revision }, call);
    if (known && page.state?.revision === known.revision && page.state.datasetId !== known.datasetId) {
      // The page was left out because of a tag of another dataset, which had the same revision.
      page = await dataset.queryRecords(question, call);
    }
    const { state, total } = page;
    if (!state) throw new Error('a page without its state');
    const tag = stateTag(state, part);
    response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
    if (matchesEntityTag(held, tag)) {
      response.status(304).end();
      return;
    }
    const parameters = text === undefined ? {} : { filter: text };
    response.set({
      'Content-Type': 'application/json; charset=utf-8',
      Link: linkHeader({ skip, limit, total, parameters }),
    });
    // The records were checked when they were written: their bytes go out as they are.
    const opening = Buffer.from('{"data":[');
    const closing = Buffer.from(`],"total":${total},"skip":${skip},"limit":${limit},"version":"latest"}`);
    const wanted = Math.max(0, Math.min(limit, total - skip));
    if (page.records >= wanted) {
      response.send(Buffer.concat([opening, page.recordsJson, closing]));
      return;
    }
    const rest = recordsAfter(dataset, question, state.revision, page.records, wanted, call);
    await sendParts(response, [opening, page.recordsJson], rest, closing);
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

function readFilter(text: string): Filter {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  return parsed.filter;
}

/** The records of a page that did not fit the first message, at the revision of that message, each part with its comma. */
async function* recordsAfter(
  dataset: Upstream['dataset'],
  question: { skip: number; limit: number; filterJson: string | undefined },
  revision: number,
  sent: number,
  wanted: number,
  call: Call,
): AsyncGenerator<Buffer> {
  for (let done = sent; done < wanted;) {
    const rest = { ...question, skip: question.skip + done, limit: wanted - done, revision };
    const { records, recordsJson } = await dataset.queryRecords(rest, call);
    if (records === 0) throw new Error(`a page of ${wanted} records ended after ${done}`);
    yield Buffer.concat([Buffer.from(','), recordsJson]);
    done += records;
  }
}

/** Sends a large page at the reader's pace; when a part fails the connection is cut, so that it never looks whole. */
async function sendParts(
  response: Response,
  opening: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
  closing: Buffer,
): Promise<void> {
  const parts = async function* (): AsyncGenerator<Buffer> {
    yield* opening;
    yield* rest;
    yield closing;
  };
  await pipeline(Readable.from(parts(), { objectMode: false }), response);
}
