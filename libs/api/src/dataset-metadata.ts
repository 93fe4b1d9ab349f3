import {
  citationFormatNames,
  citationFormats,
  datasetFormatNames,
  datasetFormats,
  DEFAULT_METADATA_FORMAT,
} from '@esd/record/metadata/metadata-formats';
import { citationStyles } from '@esd/record/metadata/formats/text';
import { z } from 'zod';
import { recordPath } from './dataset.ts';
import { type Description, operation } from './operation.ts';
import { releasePath } from './release-name.ts';

const style = z
  .enum(citationStyles)
  .optional()
  .meta({ description: 'The citation style of `format=text`; defaults to `apa`.' });
const defaultFormat = { default: DEFAULT_METADATA_FORMAT };
const datasetQuery = z.object({
  format: z.enum(datasetFormatNames).default(DEFAULT_METADATA_FORMAT).meta(defaultFormat),
  style,
});
const citationQuery = z.object({
  format: z.enum(citationFormatNames).default(DEFAULT_METADATA_FORMAT).meta(defaultFormat),
  style,
});
const common = {
  tag: 'Dataset',
  details:
    'Metadata for search engines, reference managers and programs that load the dataset. `docs/metadata.md` in the repository explains each format.',
  returns: 'The metadata in the requested format.',
  revalidates: true,
} satisfies Partial<Description>;

const ofDataset: Description = {
  ...common,
  summary: 'Get the metadata of the latest dataset',
  otherTypes: typesOf(datasetFormats),
  example: { parameters: { format: 'bibtex' } },
};
const ofRecord: Description = {
  ...common,
  summary: 'Get the metadata of a record in the latest dataset',
  otherTypes: typesOf(citationFormats),
  errors: ['RECORD_NOT_FOUND', 'RECORD_WITHDRAWN'],
  example: { parameters: { recordId: 17, format: 'bibtex' } },
};

export const getRecordMetadata = operation({
  method: 'get',
  path: '/public/dataset/records/{recordId}/metadata',
  caller: 'ignored',
  describe: ofRecord,
  query: citationQuery,
  parameters: recordPath,
});

export const getReleaseRecordMetadata = operation({
  method: 'get',
  path: '/public/dataset/{*version}/records/{recordId}/metadata',
  caller: 'ignored',
  describe: {
    ...ofRecord,
    summary: 'Get the metadata of a record in a release',
    errors: ['RECORD_NOT_FOUND', 'RECORD_WITHDRAWN', 'VERSION_NOT_FOUND'],
    example: { parameters: { version: 'v1.0.0', recordId: 17, format: 'bibtex' } },
  },
  query: citationQuery,
  parameters: z.object({ version: releasePath, ...recordPath.shape }),
});

export const getDatasetMetadata = operation({
  method: 'get',
  path: '/public/dataset/metadata',
  caller: 'ignored',
  describe: ofDataset,
  query: datasetQuery,
});

export const getReleaseMetadata = operation({
  method: 'get',
  path: '/public/dataset/{*version}/metadata',
  caller: 'ignored',
  describe: {
    ...ofDataset,
    summary: 'Get the metadata of a release',
    errors: ['VERSION_NOT_FOUND'],
    example: { parameters: { version: 'v1.0.0', format: 'bibtex' } },
  },
  query: datasetQuery,
  parameters: z.object({ version: releasePath }),
});

export const getQueryMetadata = operation({
  method: 'get',
  path: '/public/queries/{id}/metadata',
  caller: 'ignored',
  describe: {
    ...common,
    tag: 'Queries',
    summary: 'Get the metadata of a public query',
    details:
      'Cites the records that match a filter, with the filter, the number of records, the digest and the URL. `docs/metadata.md` in the repository explains each format.',
    otherTypes: typesOf(citationFormats),
    errors: ['QUERY_NOT_FOUND'],
    example: { parameters: { id: 'cfb88d67ce1d208f0d8c3a27bf10e81b', format: 'bibtex' } },
  },
  query: citationQuery,
  parameters: z.object({ id: z.string() }),
});

function typesOf(formats: Readonly<Record<string, { mediaType: string }>>): string[] {
  return [...new Set(Object.values(formats).map(({ mediaType }) => mediaType.replace(/;.*/, '')))];
}
