import {
  exportDataset,
  exportRelease,
  listLatestRecords,
  listRecords,
  listReleaseRecords,
} from '@esd/api/dataset-pages';
import type { QueryOf } from '@esd/api/operation';
import type { Response } from 'express';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { exportRequest, releaseSource } from '../../dataset/export-format.ts';
import { explainFilter } from '../../dataset/filter-explanation.ts';
import { namedState } from '../../dataset/named-state.ts';
import type { KnownRelease, Releases } from '../../dataset/releases.ts';
import { readFilter } from '../../http/query.ts';
import type { Call } from '../../http/call.ts';
import type { Input, Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { RecordPages } from '../../reads/record-pages.ts';
import type { Upstream } from '../../upstream/upstream.ts';

type PageInput = Input<QueryOf<typeof listRecords>, unknown, unknown>;

export function publicDatasetRoutes(
  pages: RecordPages,
  states: DatasetStates,
  releases: Releases,
  { dataset, exportBytes }: Pick<Upstream, 'dataset' | 'exportBytes'>,
): Route[] {
  const readPage = async (
    { query, call, request }: PageInput,
    response: Response,
    release?: KnownRelease,
    name = '',
  ): Promise<void> => {
    const { skip, limit, after, filter: filterText, repeats, sort = [], fields, explain, record } = query;
    const normalized = query.normalized === 'true';
    const filter = readFilter(filterText);
    const once = repeats === 'once';
    if (explain === 'true') {
      response.json(await explainFilter(dataset, { filter, once, recordId: record }, release, call));
      return;
    }
    if (record !== undefined) {
      throw new ServiceError('INVALID_PARAMETER', '`record` requires `explain=true`.');
    }
    if (after !== undefined && (skip !== undefined || sort.length > 0)) {
      throw new ServiceError('INVALID_PARAMETER', '`after` cannot be combined with `skip` or `sort`; omit them.');
    }
    const dependsOnRules = filter.length > 0 || sort.length > 0 || normalized || repeats !== undefined;
    const named = release && namedState(release, name, dependsOnRules);
    const question = { skip: skip ?? 0, limit, after, filter, once, sort, normalized, fields, named };
    await pages(question, request, response, call);
  };
  // The file must not be older than a page that the client read before.
  const withState = (call: Call): Call => Object.assign(call, { stateSeen: states.latest() });
  return [
    serve(listRecords, { handle: (input, response) => readPage(input, response) }),
    serve(listLatestRecords, { handle: (input, response) => readPage(input, response) }),
    serve(exportDataset, {
      handle: ({ query: { version, ...file }, request, call }, response) =>
        exportBytes(exportRequest({ ...file, source: releaseSource(version) }), request, response, withState(call)),
    }),
    serve(exportRelease, {
      handle: ({ query, parameters: { version }, request, call }, response) =>
        exportBytes(exportRequest({ ...query, source: releaseSource(version) }), request, response, withState(call)),
    }),
    serve(listReleaseRecords, {
      handle: async (input, response) => {
        const { version: name } = input.parameters;
        await readPage(input, response, await releases.find(name, input.call), name);
      },
    }),
  ];
}
