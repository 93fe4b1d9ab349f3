import { LATEST, releasePath } from '@esd/api/release-name';
import type { Request, Response } from 'express';
import { z } from 'zod';
import {
  citationFormatNames,
  citationFormats,
  citationMetadata,
  datasetFormatNames,
  datasetFormats,
  datasetMetadata,
  DEFAULT_METADATA_FORMAT,
  type Metadata,
} from '@esd/record/metadata/metadata-formats';
import { citationStyles } from '@esd/record/metadata/formats/text';
import { linkHeader } from '../../http/signposting.ts';
import { ServiceError } from '@esd/service/errors';
import { idText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import type { Description } from '@esd/api/operation';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { sendRevalidated } from '../../http/send-revalidated.ts';

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
const recordPath = z.object({ recordId: idText });

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

export function metadataOfDatasetRoutes(descriptions: Descriptions): Route[] {
  return [
    // Before the routes of releases, which also match this path.
    route({
      method: 'get',
      path: '/public/dataset/records/:recordId/metadata',
      caller: 'ignored',
      describe: ofRecord,
      query: citationQuery,
      parameters: recordPath,
      handle: async ({ query, parameters: { recordId }, request, call }, response) => {
        checkStyle(query);
        const { description } = await descriptions.ofRecord(LATEST, recordId, call);
        send(citationMetadata(description, query.format), description, request, response);
      },
    }),
    route({
      method: 'get',
      path: '/public/dataset/*version/records/:recordId/metadata',
      caller: 'ignored',
      describe: {
        ...ofRecord,
        summary: 'Get the metadata of a record in a release',
        errors: ['RECORD_NOT_FOUND', 'RECORD_WITHDRAWN', 'VERSION_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0', recordId: 17, format: 'bibtex' } },
      },
      query: citationQuery,
      parameters: z.object({ version: releasePath, ...recordPath.shape }),
      handle: async ({ query, parameters: { version, recordId }, request, call }, response) => {
        checkStyle(query);
        const { description } = await descriptions.ofRecord(version, recordId, call);
        send(citationMetadata(description, query.format), description, request, response);
      },
    }),
    route({
      method: 'get',
      path: '/public/dataset/metadata',
      caller: 'ignored',
      describe: ofDataset,
      query: datasetQuery,
      handle: async ({ query, request, call }, response) => {
        checkStyle(query);
        const description = await descriptions.ofDataset(LATEST, call);
        send(datasetMetadata(description, query.format), description, request, response);
      },
    }),
    route({
      method: 'get',
      path: '/public/dataset/*version/metadata',
      caller: 'ignored',
      describe: {
        ...ofDataset,
        summary: 'Get the metadata of a release',
        errors: ['VERSION_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0', format: 'bibtex' } },
      },
      query: datasetQuery,
      parameters: z.object({ version: releasePath }),
      handle: async ({ query, parameters: { version }, request, call }, response) => {
        checkStyle(query);
        const description = await descriptions.ofDataset(version, call);
        send(datasetMetadata(description, query.format), description, request, response);
      },
    }),
    route({
      method: 'get',
      path: '/public/queries/:id/metadata',
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
      handle: async ({ query, parameters: { id }, request, call }, response) => {
        checkStyle(query);
        const description = await descriptions.ofQuery(id, call);
        send(citationMetadata(description, query.format), description, request, response);
      },
    }),
  ];
}

/** Throws INVALID_PARAMETER for a style of a format without styles. */
function checkStyle({ format, style }: { format: string; style?: string | undefined }): void {
  if (style === undefined || format === 'text') return;
  throw new ServiceError('INVALID_PARAMETER', `\`style\` requires \`format=text\`; omit it with \`format=${format}\`.`);
}

function typesOf(formats: Readonly<Record<string, { mediaType: string }>>): string[] {
  return [...new Set(Object.values(formats).map(({ mediaType }) => mediaType.replace(/;.*/, '')))];
}

/** Sends metadata with a link to the described resource (Signposting). */
function send(metadata: Metadata, { url }: { url: string }, request: Request, response: Response): void {
  response.setHeader('Link', linkHeader([{ rel: 'describes', href: url }]));
  sendRevalidated(metadata, request, response);
}
