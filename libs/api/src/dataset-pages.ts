import { z } from 'zod';
import { stateHeaders } from './dataset-headers.ts';
import { exportFormat, fileHeaders, fileTypes } from './export-format.ts';
import { idText, integerText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { pagedHeaders } from './paged-list.ts';
import {
  fieldsQuery,
  filterText,
  pageQuery,
  recordPage,
  recordPageAfter,
  records,
  repeatsQuery,
  sortQuery,
} from './record-list.ts';
import { releasePath } from './release-name.ts';

const condition = z.strictObject({
  key: z.string(),
  meaning: z.string().meta({ description: 'The condition in words.' }),
  unit: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  text: z.string().optional().meta({ description: 'The normalized search text.' }),
  entries: z
    .array(z.string())
    .optional()
    .meta({ description: 'The entries of the reference list that the text matches.' }),
  values: z
    .array(z.string())
    .optional()
    .meta({ description: 'The exact values that match; empty matches records without a value.' }),
  words: z
    .array(z.string())
    .optional()
    .meta({ description: 'The words of the category; a matching device contains at least one.' }),
});

export const explanation = z.strictObject({
  conditions: z.array(condition),
  total: z.int().min(0).meta({ description: 'The number of records that match.' }),
  version: z.string().meta({ description: '`latest` or the identifier of a release.' }),
  record: z
    .strictObject({
      recordId: z.int(),
      matches: z.boolean(),
      conditions: z.array(
        condition.extend({
          holds: z.boolean(),
          value: z.number().optional().meta({ description: 'The value of the record in `unit`.' }),
          texts: z.array(z.string()).optional().meta({ description: 'The texts of the record that were searched.' }),
          reason: z.string().optional().meta({ description: 'The reason why the condition is not met.' }),
        }),
      ),
    })
    .optional(),
});

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

const ofPage = {
  tag: 'Dataset',
  summary: 'Get a page of records from the latest dataset',
  details:
    'Records are in ascending order of `recordId` unless `sort` is given. A record must meet all conditions of the filter.',
  returns: 'A page of records, or with `explain=true` an explanation of the filter.',
  answerHeaders: { ...pagedHeaders, ...stateHeaders },
  revalidates: true,
  errors: ['INVALID_FILTER', 'RECORD_NOT_FOUND'],
  example: { parameters: { limit: 5, filter: '{"polymer":"PVA","voltageMin":15}' } },
} satisfies Description;
const ofFile = {
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
} satisfies Description;

const pages = {
  method: 'get',
  caller: 'ignored',
  query: recordsQuery,
  response: z.union([recordPage, recordPageAfter, explanation]),
} as const;

export const listRecords = operation({ ...pages, path: '/public/dataset', describe: ofPage });

export const listLatestRecords = operation({ ...pages, path: '/public/dataset/latest', describe: ofPage });

export const listReleaseRecords = operation({
  ...pages,
  path: '/public/dataset/{*version}',
  describe: {
    ...ofPage,
    summary: 'Get a page of records from a release',
    details: `${ofPage.details} The records of a release never change.`,
    errors: ['INVALID_FILTER', 'RECORD_NOT_FOUND', 'VERSION_NOT_FOUND'],
    example: { parameters: { version: 'v1.0.0', limit: 5 } },
  },
  parameters: z.object({ version: releasePath }),
});

export const exportDataset = operation({
  method: 'get',
  path: '/public/dataset/export',
  caller: 'ignored',
  limit: 'exports',
  describe: ofFile,
  query: exportQuery,
  response: records,
});

export const exportRelease = operation({
  method: 'get',
  path: '/public/dataset/{*version}/export',
  caller: 'ignored',
  limit: 'exports',
  describe: {
    ...ofFile,
    summary: 'Download a release as a file',
    example: { parameters: { version: 'v1.0.0', format: 'json' } },
  },
  query: releaseExportQuery,
  parameters: z.object({ version: releasePath }),
  response: records,
});
