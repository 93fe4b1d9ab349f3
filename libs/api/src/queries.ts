import { z } from 'zod';
import { ALLOWANCES } from './allowances.ts';
import { stateHeaders } from './dataset-headers.ts';
import { exportFormat, fileHeaders, fileTypes } from './export-format.ts';
import { type Description, operation } from './operation.ts';
import { pagedHeaders } from './paged-list.ts';
import { pageQuery, recordPage, records } from './record-list.ts';

export const DIGEST_METHOD = 'rows-v1';

const filterObject = z.looseObject({}).meta({ description: 'The filter; an empty object selects all records.' });

export const publicQuery = z
  .strictObject({
    id: z.string().meta({ description: 'Derived from the request and the digest.' }),
    filter: filterObject,
    sort: z.string().optional().meta({
      description:
        'The order, in the format of lists of records. If absent, records are in ascending order of `recordId`.',
    }),
    fields: z
      .string()
      .optional()
      .meta({ description: 'The members, in the format of lists of records. If absent, records have all members.' }),
    repeats: z.literal('once').optional().meta({
      description: 'If present, only the record with the lowest id of each group of repeated records is in the query.',
    }),
    version: z.string().meta({ description: '`latest` or the identifier of the release in the first request.' }),
    datasetRevision: z.int().meta({ description: 'The dataset revision of the first request.' }),
    recordCount: z.int().min(0),
    digest: z.string().meta({
      description:
        'The SHA-256 over one line for each record, in ascending order of `recordId`. The line is the SHA-256 of the canonical JSON (RFC 8785) of the whole record as 64 hexadecimal digits, and a line feed.',
    }),
    digestMethod: z.literal(DIGEST_METHOD),
    createdAt: z.iso.datetime(),
    url: z.string().meta({ description: 'The URL of the query.' }),
  })
  .meta({ id: 'Query' });

export const queryId = z.object({ id: z.string() });

const EXAMPLE = { parameters: { id: 'cfb88d67ce1d208f0d8c3a27bf10e81b' } };

const ofQuery = {
  tag: 'Queries',
  revalidates: true,
  errors: ['QUERY_NOT_FOUND'],
  example: EXAMPLE,
} satisfies Partial<Description>;

export const storeQuery = operation({
  method: 'post',
  path: '/public/queries',
  caller: 'optional',
  describe: {
    tag: 'Queries',
    summary: 'Create a public query',
    details: `Stores the records of the latest dataset or a release that match a filter, under an id that can be cited. Later publications do not change the query. An equal request with the same records returns the existing query. Without an account, a client can create ${ALLOWANCES.anonymous.queries.amount} queries a day.`,
    returns: 'The new query.',
    status: 201,
    alternative: { status: 200, returns: 'The existing query.', answer: publicQuery },
    answerHeaders: { Location: 'The URL of the query.' },
    errors: ['INVALID_FILTER', 'VERSION_NOT_FOUND'],
    example: { body: { filter: { polymer: 'PVDF', voltageMin: 15 }, sort: '-voltage' } },
  },
  response: publicQuery,
});

export const getQuery = operation({
  method: 'get',
  path: '/public/queries/{id}',
  caller: 'ignored',
  describe: {
    ...ofQuery,
    summary: 'Get a public query',
    details: 'A query never changes. `docs/explore.md` in the repository explains how the digest is computed.',
    returns: 'The query.',
    redirects: {
      status: 303,
      when: '`Accept` names text/html and prefers it to JSON. The web page is at `Location`.',
    },
    answerHeaders: stateHeaders,
  },
  parameters: queryId,
  response: publicQuery,
});

export const getQueryRecords = operation({
  method: 'get',
  path: '/public/queries/{id}/records',
  caller: 'ignored',
  describe: {
    ...ofQuery,
    summary: 'Get a page of records from a public query',
    details: 'The records have the order and the members of the query. They never change.',
    returns: 'The page.',
    answerHeaders: { ...pagedHeaders, ...stateHeaders },
    example: { parameters: { ...EXAMPLE.parameters, limit: 5 } },
  },
  parameters: queryId,
  query: z.object({
    ...pageQuery.shape,
    whole: z.enum(['true', 'false']).optional().meta({
      description:
        'With `true`, records have all their members, regardless of `fields` of the query. The digest is computed over these records.',
    }),
  }),
  response: recordPage,
});

export const exportQuery = operation({
  method: 'get',
  path: '/public/queries/{id}/export',
  caller: 'ignored',
  limit: 'exports',
  describe: {
    ...ofQuery,
    summary: 'Download the records of a public query as a file',
    details: 'A query with `fields` is available only as `json`.',
    returns: 'With `json`, an array of the records in the order of the query; with the other formats, the file.',
    otherTypes: fileTypes,
    answerHeaders: fileHeaders,
    ranges: true,
    example: { parameters: { ...EXAMPLE.parameters, format: 'json' } },
  },
  parameters: queryId,
  query: z.object({ format: exportFormat }),
  response: records,
});
