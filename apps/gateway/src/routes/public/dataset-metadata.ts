import {
  getDatasetMetadata,
  getQueryMetadata,
  getRecordMetadata,
  getReleaseMetadata,
  getReleaseRecordMetadata,
} from '@esd/api/dataset-metadata';
import { LATEST } from '@esd/api/release-name';
import type { Request, Response } from 'express';
import { citationMetadata, datasetMetadata, type Metadata } from '@esd/record/metadata/metadata-formats';
import { typedLinkHeader } from '../../http/signposting.ts';
import { ServiceError } from '@esd/service/errors';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { sendRevalidated } from '../../http/send-revalidated.ts';

export function metadataOfDatasetRoutes(descriptions: Descriptions): Route[] {
  return [
    // Before the routes of releases, which also match this path.
    serve(getRecordMetadata, {
      handle: async ({ query, parameters: { recordId }, request, call }, response) => {
        checkStyle(query);
        const { description } = await descriptions.ofRecord(LATEST, recordId, call);
        send(citationMetadata(description, query.format), description, request, response);
      },
    }),
    serve(getReleaseRecordMetadata, {
      handle: async ({ query, parameters: { version, recordId }, request, call }, response) => {
        checkStyle(query);
        const { description } = await descriptions.ofRecord(version, recordId, call);
        send(citationMetadata(description, query.format), description, request, response);
      },
    }),
    serve(getDatasetMetadata, {
      handle: async ({ query, request, call }, response) => {
        checkStyle(query);
        const description = await descriptions.ofDataset(LATEST, call);
        send(datasetMetadata(description, query.format), description, request, response);
      },
    }),
    serve(getReleaseMetadata, {
      handle: async ({ query, parameters: { version }, request, call }, response) => {
        checkStyle(query);
        const description = await descriptions.ofDataset(version, call);
        send(datasetMetadata(description, query.format), description, request, response);
      },
    }),
    serve(getQueryMetadata, {
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

/** Sends metadata with a link to the described resource (Signposting). */
function send(metadata: Metadata, { url }: { url: string }, request: Request, response: Response): void {
  response.setHeader('Link', typedLinkHeader([{ rel: 'describes', href: url }]));
  sendRevalidated(metadata, request, response);
}
