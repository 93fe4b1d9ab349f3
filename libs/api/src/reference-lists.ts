import { categoryKeys } from '@esd/record/filter/filter-keys';
import { LIST_NAMES } from '@esd/record/reference/list-names';
import { z } from 'zod';
import { stateHeaders } from './dataset-headers.ts';
import { featureNames } from './names-text.ts';
import { operation } from './operation.ts';
import { entryId } from './reference-entries.ts';

const count = z.int().min(0);

export const featuresAnswer = z.strictObject({
  total: count.meta({ description: 'The number of records.' }),
  version: z.literal('latest'),
  features: z.array(
    z.strictObject({
      key: z.enum([...featureNames, ...categoryKeys]),
      label: z.string().meta({ description: 'The display name.' }),
      group: z.enum(['solution', 'process', 'ambient', 'fiber', 'properties', 'paper']),
      kind: z
        .enum(['setting', 'result'])
        .meta({ description: 'A setting has a value before the run; every other key is a result.' }),
      type: z.enum(['number', 'category']),
      unit: z.string().nullable().meta({ description: 'The unit of the filter; null for a category.' }),
      column: z.string().nullable().meta({ description: 'The normalized column of files; null without one.' }),
      description: z.string().meta({ description: 'The meaning, the conversion, and what the value is not.' }),
      count: count.meta({ description: 'The number of records with a value that can be read.' }),
      notConvertible: count.nullable(),
      distinct: count.nullable().meta({ description: 'The number of values; null for a number.' }),
      range: z.strictObject({ min: z.number(), max: z.number() }).nullable(),
    }),
  ),
});

export const listFeatures = operation({
  method: 'get',
  path: '/metadata/features',
  caller: 'ignored',
  describe: {
    tag: 'Reference lists',
    summary: 'List all features and categories',
    details:
      'The list contains each feature and category of the filter with its meaning and its values in the latest dataset.',
    returns: 'The features and categories, grouped by the steps of an experiment.',
    answerHeaders: stateHeaders,
    revalidates: true,
    example: {},
  },
  response: featuresAnswer,
});

const entryPath = z.object({ list: z.enum(LIST_NAMES), id: entryId });

const use = z.strictObject({
  names: z.array(z.string()).meta({ description: 'The names under which records store the entry.' }),
  records: z
    .int()
    .min(0)
    .meta({ description: 'The number of records, of any status, whose newest revision has one of the names.' }),
});

export const getEntryUse = operation({
  method: 'get',
  path: '/admin/metadata/{list}/{id}/use',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Reference lists',
    summary: 'Count the records that use an entry',
    details: 'Requires the role ADMIN.',
    returns: 'The names of the entry, and the number of records.',
    errors: ['FORBIDDEN', 'ENTRY_NOT_FOUND'],
    example: { parameters: { list: 'polymers', id: 1 } },
  },
  parameters: entryPath,
  response: use,
});
