import { features } from '@esd/record/filter/filter-keys';
import { z } from 'zod';
import { catalogSchema } from './catalog-schema.ts';
import { stateHeaders } from './dataset-headers.ts';
import { idText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { releasePath } from './release-name.ts';
import { withdrawn } from './withdrawn.ts';

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

export const unexplained = z
  .strictObject({
    records: z.array(z.int()).meta({ description: 'At most 1,000 ids, ascending, one for each group of repeats.' }),
    low: z.number(),
    high: z.number(),
  })
  .nullable()
  .meta({
    description:
      'The other records of the paper with equal settings whose fiber diameters differ from that of this record by more than a factor of 1.5, and the range of all these diameters in nm. Null without such a record.',
  });

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
  unexplained,
  withdrawn: withdrawn.optional().meta({
    description: 'Present if the record has been withdrawn since. Earlier releases still contain it.',
  }),
});

export const recordPath = z.object({ recordId: idText });

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

export const getRecord = operation({
  method: 'get',
  path: '/public/dataset/records/{recordId}',
  caller: 'ignored',
  describe: ofRecord,
  parameters: recordPath,
  response: publishedRecord,
});

export const getReleaseRecord = operation({
  method: 'get',
  path: '/public/dataset/{*version}/records/{recordId}',
  caller: 'ignored',
  describe: {
    ...ofRecord,
    summary: 'Get a record in a release',
    errors: ['RECORD_NOT_FOUND', 'RECORD_WITHDRAWN', 'VERSION_NOT_FOUND'],
    example: { parameters: { version: 'v1.0.0', recordId: 17 } },
  },
  parameters: z.object({ version: releasePath, ...recordPath.shape }),
  response: publishedRecord,
});
