import { categoryList, categoryName, featureList, featureName, featureNames } from '@esd/api/names-text';
import { z } from 'zod';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { integerText, numberText } from '@esd/api/number-text';
import {
  type Analysis,
  selection,
  total,
  version,
  count,
  missing,
  notConvertible,
  SCALES,
  scale,
  IN_UNIT,
  scaled,
  figure,
  edges,
  flag,
  isSet,
  papers,
  quartiles,
  stable,
  tried,
} from './explore-parts.ts';

const facetsQuery = z.object({
  ...selection,
  keys: categoryList.optional(),
  limit: integerText(1, 1000)
    .default(20)
    .meta({ default: 20, description: 'The maximum number of values per category.' }),
  tried,
});

export const facets: Analysis<typeof facetsQuery.shape> = {
  name: 'facets',
  query: facetsQuery,
  ask: ({ filter, repeats, keys = [...categoryKeys], limit, tried }) => ({
    filter,
    repeats,
    question: { $case: 'facets', value: { keys, limit, tried: isSet(tried) } },
  }),
  describe: {
    summary: 'Count the values of categories',
    details:
      'A record counts once for each of its distinct values. The values of a category are counted without the filter on that category, so that the alternatives remain visible. `total` uses the whole filter. With `tried=true`, the values are those of the tried records, and `count` can be 0.',
    returns:
      'The most frequent values of each category, in descending order of count, then of the count of tried records, then by value.',
    parameters: { keys: 'polymer,solvent', filter: '{"voltageMin":15}' },
  },
  answer: z.strictObject({
    total,
    version,
    tried: count.optional().meta({ description: 'With `tried=true`, the number of tried records.' }),
    facets: z.partialRecord(
      z.enum(categoryKeys),
      z.strictObject({
        values: z.array(
          z.strictObject({
            value: z.string(),
            count,
            tried: count.optional().meta({ description: 'With `tried=true`, the number of tried records.' }),
          }),
        ),
        distinct: count.meta({ description: 'The number of distinct values.' }),
        missing: count.meta({ description: 'The number of matching records without a value.' }),
      }),
    ),
  }),
};

const statisticsQuery = z.object({
  ...selection,
  features: featureList.optional(),
  perPaper: flag.meta({
    description:
      'With `true`, each feature has the quartiles of the medians of its papers. All records without a DOI are one paper.',
  }),
});

export const statistics = {
  name: 'statistics',
  query: statisticsQuery,
  ask: ({ filter, repeats, features = [...featureNames], perPaper }) => ({
    filter,
    repeats,
    question: { $case: 'statistics', value: { features, perPaper: isSet(perPaper) } },
  }),
  describe: {
    summary: 'Get statistics of features',
    details: `${IN_UNIT} Quantiles are interpolated linearly (type 7). The standard deviation is the sample standard deviation. \`count\`, \`missing\` and \`notConvertible\` add up to \`total\`.`,
    returns: 'The statistics of each feature. A figure that cannot be computed is null.',
    parameters: { features: 'voltage,fiberDiameter', filter: '{"polymer":"PVDF"}' },
  },
  answer: z.strictObject({
    total,
    version,
    statistics: z.partialRecord(
      z.enum(featureNames),
      z.strictObject({
        unit: z.string(),
        count,
        missing,
        notConvertible,
        min: figure,
        q05: figure,
        q25: figure,
        median: figure,
        q75: figure,
        q95: figure,
        max: figure,
        mean: figure,
        standardDeviation: figure,
        perPaper: z
          .strictObject({ papers: count.meta({ description: 'The number of papers with a value.' }), ...quartiles })
          .optional(),
      }),
    ),
  }),
} satisfies Analysis<typeof statisticsQuery.shape>;

const summaryQuery = z.object(selection);

export const summary = {
  name: 'summary',
  query: summaryQuery,
  ask: ({ filter, repeats }) => ({ filter, repeats, question: { $case: 'summary', value: {} } }),
  describe: {
    summary: 'Compare the matching records with the tried ones',
    details:
      'The tried records match the filter without its conditions on results. `GET /metadata/features` lists which keys are results. A failed run often reports no result, so a filter by a result hides it.',
    returns:
      'The counts of the matching and of the tried records. `cannotMatch` has an entry for each result of the filter: the tried records without a value that the filter can compare.',
    parameters: { filter: '{"polymer":"=PVDF","fiberDiameterMax":500}' },
  },
  answer: z.strictObject({
    total,
    version,
    papers,
    stable,
    tried: z.strictObject({
      total: count.meta({ description: 'The number of tried records.' }),
      papers,
      papersReportingFailures: count.meta({
        description: 'The number of these papers that have a record that is not stable anywhere in the dataset.',
      }),
      stable,
    }),
    cannotMatch: z.array(
      z.strictObject({
        key: z.enum([...featureNames, ...categoryKeys]),
        count: count.meta({ description: 'The number of tried records without a comparable value.' }),
        notStable: count.meta({ description: 'The number of these records that are not stable.' }),
      }),
    ),
    repeats: z.strictObject({
      records: count.meta({ description: 'The number of matching records that repeat one with a lower id.' }),
      groups: count.meta({ description: 'The number of groups that these records belong to.' }),
    }),
  }),
} satisfies Analysis<typeof summaryQuery.shape>;

const histogramQuery = z.object({
  ...selection,
  feature: featureName,
  bins: integerText(1, 200).default(30).meta({ default: 30 }),
  scale,
  min: numberText.optional().meta({ description: 'The lowest edge; defaults to the smallest value.' }),
  max: numberText.optional().meta({ description: 'The highest edge; defaults to the largest value.' }),
});

export const histogram: Analysis<typeof histogramQuery.shape> = {
  name: 'histogram',
  query: histogramQuery,
  ask: ({ filter, repeats, feature, bins, scale, min, max }) => ({
    filter,
    repeats,
    question: {
      $case: 'histogram',
      value: { feature, bins, ...scaled({ scale, min, max }, { min: 'min', max: 'max', scale: 'scale' }) },
    },
  }),
  describe: {
    summary: 'Get the histogram of a feature',
    details: `${IN_UNIT} A bin includes its lower edge; the last bin also includes its upper edge. The range of this feature in the filter is ignored. The counts, \`missing\`, \`notConvertible\`, \`below\`, \`above\` and \`nonPositive\` add up to \`total\`.`,
    returns: 'The edges of the bins and the number of records in each; without values there are no bins.',
    parameters: { feature: 'fiberDiameter', bins: 10, scale: 'log' },
  },
  answer: z.strictObject({
    feature: z.enum(featureNames),
    unit: z.string(),
    scale: z.enum(SCALES),
    total,
    edges,
    counts: z.array(count),
    missing,
    notConvertible,
    below: count.meta({ description: 'The number of records with a value below `min`.' }),
    above: count.meta({ description: 'The number of records with a value above `max`.' }),
    nonPositive: count.meta({ description: 'The number of records with a value that has no logarithm.' }),
  }),
};

const coverageQuery = z.object({
  ...selection,
  by: categoryName.optional(),
  limit: integerText(1, 1000).default(100).meta({ default: 100, description: 'The maximum number of rows.' }),
});

export const coverage: Analysis<typeof coverageQuery.shape> = {
  name: 'coverage',
  query: coverageQuery,
  ask: ({ filter, repeats, by = 'polymer', limit }) => ({
    filter,
    repeats,
    question: { $case: 'coverage', value: { by, limit } },
  }),
  describe: {
    summary: 'Get the completeness of the records by category',
    details: 'A value that cannot be converted counts as filled.',
    returns:
      'For each value of the category, in descending order of count, the number of records that have each feature and category.',
    parameters: { by: 'polymer', limit: 10 },
  },
  answer: z.strictObject({
    total,
    version,
    by: z.enum(categoryKeys),
    distinct: count.meta({ description: 'The number of distinct values.' }),
    rows: z.array(
      z.strictObject({
        value: z.string().nullable().meta({ description: 'Null for the records without a value.' }),
        count,
        filled: z.record(z.enum([...featureNames, ...categoryKeys]), count),
      }),
    ),
  }),
};
