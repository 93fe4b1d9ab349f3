import { LATEST, releasePath } from '@esd/api/release-name';
import { stateHeaders } from '@esd/api/dataset-headers';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { features } from '@esd/record/filter/filter-keys';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { KnownRelease, Releases } from '../../dataset/releases.ts';
import { idText } from '@esd/api/number-text';
import { type Input, route, type Route } from '../../http/route.ts';
import type { Description } from '@esd/api/operation';
import { JSON_TYPE } from '../../http/send-json.ts';
import { countCached } from '../../cache/page-cache.ts';
import type { RecordReads } from '../../reads/record-reads.ts';
import { catalogSchema } from '@esd/api/catalog-schema';
import { withdrawn } from '@esd/api/withdrawn';

export const normalized = z
  .strictObject(
    Object.fromEntries(
      features.map(({ feature, unit }) => [
        feature,
        z
          .number()
          .optional()
          .meta({ description: `In ${unit}.` }),
      ]),
    ),
  )
  .meta({ id: 'Normalized', description: 'The features of the record, each in the unit of its filter.' });

export const publishedRecord = z.strictObject({
  data: catalogSchema('Record'),
  version: z.string().meta({ description: '`latest` or the identifier of a release.' }),
  recordRevision: z.int().min(1),
  publishedAt: z.iso.datetime().meta({ description: 'The time at which this revision was approved.' }),
  firstPublishedAt: z.iso
    .datetime()
    .meta({ description: 'The time at which the first revision of the record was approved.' }),
  versions: z
    .array(z.string())
    .meta({ description: 'The identifiers of the releases that contain exactly this revision, newest first.' }),
  normalized,
  withdrawn: withdrawn.optional().meta({
    description: 'Present if the record has been withdrawn since. Earlier releases still contain it.',
  }),
});

const recordPath = z.object({ recordId: idText });

const ofRecord: Description = {
  tag: 'Dataset',
  summary: 'Get a record in the latest dataset',
  returns:
    'The record, its publication times, the releases that contain it, and its features in the units of the filters.',
  answerHeaders: stateHeaders,
  revalidates: true,
  errors: ['RECORD_NOT_FOUND', 'RECORD_WITHDRAWN'],
  example: { parameters: { recordId: 17 } },
};

type RecordInput = Input<unknown, z.output<typeof recordPath>, unknown>;

export function publicRecordRoutes(records: RecordReads, releases: Releases): Route[] {
  const read = async (
    { parameters: { recordId }, request, call }: RecordInput,
    response: ServerResponse,
    release?: KnownRelease,
  ): Promise<void> => {
    const { state, body, isCached } = await records.find(recordId, release, call);
    // The tag hashes the body: a freeze changes `versions`, but not the dataset state.
    const tag = textTag(body);
    response.setHeader('ETag', `"${tag}"`);
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader(DATASET_REVISION, state.revision);
    const isNotModified = matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag);
    countCached('page', isNotModified ? 'not_modified' : isCached ? 'hit' : 'miss');
    if (isNotModified) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.setHeader('Content-Type', JSON_TYPE);
    response.setHeader('Content-Length', body.length);
    response.end(body);
  };
  return [
    route({
      method: 'get',
      path: '/public/dataset/records/:recordId',
      caller: 'ignored',
      describe: ofRecord,
      parameters: recordPath,
      answer: publishedRecord,
      handle: (input, response) => read(input, response),
    }),
    route({
      method: 'get',
      path: '/public/dataset/*version/records/:recordId',
      caller: 'ignored',
      describe: {
        ...ofRecord,
        summary: 'Get a record in a release',
        errors: ['RECORD_NOT_FOUND', 'RECORD_WITHDRAWN', 'VERSION_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0', recordId: 17 } },
      },
      parameters: z.object({ version: releasePath, ...recordPath.shape }),
      answer: publishedRecord,
      handle: async (input, response) => {
        const { version: name } = input.parameters;
        await read(input, response, name === LATEST ? undefined : await releases.find(name, input.call));
      },
    }),
  ];
}
