import { releasePath } from '@esd/api/release-name';
import { exportFormat, fileHeaders, fileTypes } from '@esd/api/export-format';
import { stateHeaders } from '@esd/api/dataset-headers';
import {
  fieldsQuery,
  filterText,
  pageQuery,
  recordPage,
  recordPageAfter,
  records,
  repeatsQuery,
  sortQuery,
} from '@esd/api/record-list';
import type { Response } from 'express';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { exportRequest, releaseSource } from '../../dataset/export-format.ts';
import { explainFilter, explanation } from '../../dataset/filter-explanation.ts';
import { fixedState, type KnownRelease, type Releases } from '../../dataset/releases.ts';
import type { Description } from '@esd/api/operation';
import { integerText } from '@esd/api/number-text';
import { pagedHeaders } from '@esd/api/paged-list';
import { readFilter } from '../../http/page-query.ts';
import type { Call } from '../../http/call.ts';
import { idText } from '@esd/api/number-text';
import { route, type Input, type Route } from '../../http/route.ts';
import type { RecordPages } from '../../reads/record-pages.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const recordsQuery = z.object({
  ...pageQuery.shape,
  // With `after`, only an absent `skip` is valid.
  skip: pageQuery.shape.skip.unwrap().optional().meta({ default: 0 }),
  after: integerText(0, Number.MAX_SAFE_INTEGER).optional().meta({
    description: 'Replaces `skip`: the page contains the records after this record id. Start with `after=0`.',
  }),
  filter: filterText,
  repeats: repeatsQuery,
  sort: sortQuery,
  normalized: z.enum(['true', 'false']).optional().meta({
    description: 'With `true`, each record has `normalized`: its features as numbers in the units of the filters.',
  }),
  fields: fieldsQuery,
  explain: z.enum(['true', 'false']).optional().meta({
    description: 'With `true`, the response explains how the filter is interpreted instead of listing records.',
  }),
  record: idText.optional().meta({
    description: 'A record id; requires `explain=true`. The response says whether and why the record matches.',
  }),
});
const releaseExportQuery = z.object({
  format: exportFormat,
  filter: filterText,
  repeats: repeatsQuery,
  sort: sortQuery,
  normalized: z.enum(['true', 'false']).optional().meta({
    description:
      'With `true`, `json` has the features of each record as numbers in the units of the filters. `csv`, `xlsx` and `parquet` have a column for each feature after the other columns.',
  }),
  fields: fieldsQuery,
});
const exportQuery = releaseExportQuery.extend({
  version: z
    .string()
    .optional()
    .meta({ description: 'A release identifier or a DOI; defaults to the latest dataset.' }),
});

const ofPage: Description = {
  tag: 'Dataset',
  summary: 'Get a page of records from the latest dataset',
  details:
    'Records are in ascending order of `recordId` unless `sort` is given. A record must meet all conditions of the filter.',
  returns: 'A page of records, or with `explain=true` an explanation of the filter.',
  answerHeaders: { ...pagedHeaders, ...stateHeaders },
  revalidates: true,
  errors: ['INVALID_FILTER', 'RECORD_NOT_FOUND'],
  example: { parameters: { limit: 5, filter: '{"polymer":"PVA","voltageMin":15}' } },
};
const ofFile: Description = {
  tag: 'Dataset',
  summary: 'Download the dataset as a file',
  details:
    '`json` and `csv` of the latest dataset are streamed; the other formats are stored files that support `Range`. An interrupted download never looks complete. `fields` requires `json`; `sort`, `normalized` and `repeats` do not apply to `zip`.',
  returns:
    'With `json`, an array of records, in ascending order of `recordId` unless `sort` is given; with the other formats, the file.',
  otherTypes: fileTypes,
  answerHeaders: fileHeaders,
  revalidates: true,
  ranges: true,
  errors: ['INVALID_REQUEST', 'INVALID_FILTER', 'VERSION_NOT_FOUND'],
  example: { parameters: { format: 'json', filter: '{"polymer":"PVDF","collectorType":"rotating"}' } },
};

type PageInput = Input<z.output<typeof recordsQuery>, unknown, unknown>;

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
    const fixed = release && { fixed: fixedState(release, name, dependsOnRules) };
    await pages(
      {
        ...{ skip: skip ?? 0, limit, after, filter, filterText, once, sort, normalized },
        ...(fields && { fields }),
        ...fixed,
      },
      request,
      response,
      call,
    );
  };
  const latest = {
    method: 'get',
    caller: 'ignored',
    query: recordsQuery,
    answer: z.union([recordPage, recordPageAfter, explanation]),
    handle: (input: PageInput, response: Response) => readPage(input, response),
  } as const;
  // The file must not be older than a page that the client read before.
  const withState = (call: Call): Call => Object.assign(call, { stateSeen: states.latest() });
  return [
    route({ ...latest, path: '/public/dataset', describe: ofPage }),
    route({ ...latest, path: '/public/dataset/latest', describe: ofPage }),
    route({
      method: 'get',
      path: '/public/dataset/export',
      caller: 'ignored',
      limit: 'exports',
      describe: ofFile,
      query: exportQuery,
      answer: records,
      handle: ({ query: { version, ...file }, request, call }, response) =>
        exportBytes(exportRequest({ ...file, source: releaseSource(version) }), request, response, withState(call)),
    }),
    route({
      method: 'get',
      path: '/public/dataset/*version/export',
      caller: 'ignored',
      limit: 'exports',
      describe: {
        ...ofFile,
        summary: 'Download a release as a file',
        example: { parameters: { version: 'v1.0.0', format: 'json' } },
      },
      query: releaseExportQuery,
      parameters: z.object({ version: releasePath }),
      answer: records,
      handle: ({ query, parameters: { version }, request, call }, response) =>
        exportBytes(exportRequest({ ...query, source: releaseSource(version) }), request, response, withState(call)),
    }),
    route({
      method: 'get',
      path: '/public/dataset/*version',
      caller: 'ignored',
      describe: {
        ...ofPage,
        summary: 'Get a page of records from a release',
        details: `${ofPage.details} The records of a release never change.`,
        errors: ['INVALID_FILTER', 'RECORD_NOT_FOUND', 'VERSION_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0', limit: 5 } },
      },
      query: recordsQuery,
      parameters: z.object({ version: releasePath }),
      answer: z.union([recordPage, recordPageAfter, explanation]),
      handle: async (input, response) => {
        const { version: name } = input.parameters;
        await readPage(input, response, await releases.find(name, input.call), name);
      },
    }),
  ];
}
