import type { Response } from 'express';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../dataset-states.ts';
import { exportFormat, fileHeaders, fileQuery, fileTypes } from '../export-format.ts';
import { explainFilter, explanation } from '../filter-explanation.ts';
import { fixedState, type FrozenVersion, type FrozenVersions } from '../frozen-versions.ts';
import type { Description } from '../openapi-description.ts';
import { filterText, placeQuery, readFilter, recordPage, records } from '../page-query.ts';
import { type Call, recordIdText, route, type Input, type Route } from '../route.ts';
import type { RecordPages } from '../record-pages.ts';
import type { Upstream } from '../upstream.ts';
import { versionPath } from '../version-name.ts';

const pageQuery = z.object({
  ...placeQuery.shape,
  filter: filterText,
  explain: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .meta({ description: 'With `true`: how the filter was understood, in the place of records.' }),
  record: recordIdText
    .optional()
    .meta({ description: 'With `explain=true`: a record, to be told whether and why it matches.' }),
});
const versionExportQuery = z.object({ format: exportFormat, filter: filterText });
const exportQuery = versionExportQuery.extend({
  version: z.string().optional().meta({ description: 'An identifier or a DOI; the latest dataset unless given.' }),
});

const ofPage: Description = {
  tag: 'Dataset',
  summary: 'A page of the latest dataset',
  details: 'Records in ascending order of recordId. All conditions of the filter must hold.',
  returns: 'The page, or with `explain=true` the explanation of the filter.',
  answerHeaders: { Link: 'The pages first, prev, next and last (RFC 8288), relative to this one.' },
  revalidates: true,
  errors: ['INVALID_FILTER', 'RECORD_NOT_FOUND'],
  example: { parameters: { limit: 5, filter: '{"polymer":"PVA","voltageMin":15}' } },
};
const ofFile: Description = {
  tag: 'Dataset',
  summary: 'The dataset as a file',
  details:
    '`json` and `csv` of the latest dataset are streamed, the others are stored files that answer to `Range`. What breaks off never looks complete.',
  returns: 'As json an array of records, in ascending order of recordId; in the other formats the file.',
  otherTypes: fileTypes,
  answerHeaders: fileHeaders,
  revalidates: true,
  ranges: true,
  errors: ['INVALID_REQUEST', 'INVALID_FILTER', 'VERSION_NOT_FOUND'],
  example: { parameters: { format: 'json', filter: '{"polymer":"PVDF","collectorType":"rotating"}' } },
};

type PageInput = Input<z.output<typeof pageQuery>, unknown, unknown>;

/** Open reads of the dataset and of its versions. */
export function publicDatasetRoutes(
  pages: RecordPages,
  states: DatasetStates,
  versions: FrozenVersions,
  { dataset, exportBytes }: Pick<Upstream, 'dataset' | 'exportBytes'>,
): Route[] {
  const readPage = async (
    { query, call, request }: PageInput,
    response: Response,
    version?: FrozenVersion,
  ): Promise<void> => {
    const { skip, limit, filter: filterText, explain, record } = query;
    const filter = filterText === undefined ? [] : readFilter(filterText);
    if (explain === 'true') {
      response.json(await explainFilter(dataset, filterText ?? '{}', record, version, call));
      return;
    }
    if (record !== undefined) {
      throw new ServiceError(
        'INVALID_PARAMETER',
        `record=${record} is held against the filter with explain=true only.`,
      );
    }
    const fixed = version && { fixed: fixedState(version) };
    await pages({ skip, limit, filter, filterText, ...fixed }, request, response, call);
  };
  const latest = {
    method: 'get',
    caller: 'ignored',
    query: pageQuery,
    answer: z.union([recordPage, explanation]),
    handle: (input: PageInput, response: Response) => readPage(input, response),
  } as const;
  // So that a file is never older than a page read before it.
  const withState = (call: Call): Call => ({ ...call, stateSeen: states.seen() });
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
      handle: ({ request, call }, response) => exportBytes(request, response, withState(call)),
    }),
    route({
      method: 'get',
      // The version may be a DOI, whose slashes stand in the path.
      path: '/public/dataset/*version/export',
      caller: 'ignored',
      limit: 'exports',
      describe: {
        ...ofFile,
        summary: 'A version of the dataset as a file',
        example: { parameters: { version: 'v1.0.0', format: 'json' } },
      },
      query: versionExportQuery,
      parameters: z.object({ version: versionPath }),
      answer: records,
      handle: ({ request, query, parameters, call }, response) => {
        request.url = `/public/dataset/export?${fileQuery({ ...query, ...parameters })}`;
        return exportBytes(request, response, withState(call));
      },
    }),
    route({
      method: 'get',
      path: '/public/dataset/*version',
      caller: 'ignored',
      describe: {
        ...ofPage,
        summary: 'A page of a version of the dataset',
        details: `${ofPage.details} What a version holds never changes, nor what a filter finds in it.`,
        errors: ['INVALID_FILTER', 'RECORD_NOT_FOUND', 'VERSION_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0', limit: 5 } },
      },
      query: pageQuery,
      parameters: z.object({ version: versionPath }),
      answer: z.union([recordPage, explanation]),
      handle: async (input, response) => {
        await readPage(input, response, await versions.find(input.parameters.version, input.call));
      },
    }),
  ];
}
