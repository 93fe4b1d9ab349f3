import { featureNames } from '@esd/api/names-text';
import { stateHeaders } from '@esd/api/dataset-headers';
import { z } from 'zod';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { route, type Route } from '../../http/route.ts';
import type { Analyses } from '../../reads/analyses.ts';

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

export function metadataFeatureRoutes(analyze: Analyses): Route[] {
  return [
    route({
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
      answer: featuresAnswer,
      handle: ({ request, call }, response) =>
        analyze(
          { question: { $case: 'keys', value: {} }, filter: [], once: false, fixed: undefined },
          request,
          response,
          call,
        ),
    }),
  ];
}
