import { z } from 'zod';
import type { ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { fixedState, type Releases } from '../../dataset/releases.ts';
import { integerText, numberText } from '../../http/query.ts';
import type { Description } from '../../http/route-description.ts';
import { recordIdText, route, type Route } from '../../http/route.ts';
import type { Analyses } from '../../kept/analyses.ts';
import { filterText, readFilter } from '../../kept/page-query.ts';
import {
  categoryList,
  categoryName,
  featureList,
  featureName,
  featureNames,
  oneName,
} from '../../schemas/names-text.ts';
import { recipeText } from '../../schemas/recipe-text.ts';
import { releasePath } from '../../schemas/release-name.ts';

/** A kind of analysis as the interface has it. */
interface Analysis<Shape extends z.ZodRawShape> {
  /** The end of its path. */
  name: string;
  query: z.ZodObject<Shape>;
  ask: (query: z.output<z.ZodObject<Shape>>) => {
    filter: string | undefined;
    question: NonNullable<ExploreRequest['question']>;
  };
  describe: Pick<Description, 'summary' | 'details' | 'returns'> & {
    /** Of an example. */
    parameters?: Readonly<Record<string, string | number>>;
  };
  answer: z.ZodType;
}

const LATEST = 'latest';

const total = z.int().min(0).meta({ description: 'The number of records that match the filter.' });
const version = z.string().meta({ description: '`latest` or the identifier of a version.' });
const count = z.int().min(0);
const missing = count.meta({ description: 'The number of records without a value.' });
const notConvertible = count.meta({ description: 'The number of records with a value that cannot be converted.' });
const placed = count.meta({ description: 'The number of records with both values.' });
const excluded = z
  .array(z.strictObject({ reason: z.string(), feature: z.enum(featureNames).optional(), count }))
  .optional()
  .meta({ description: 'With `explain=true`: how many of the matching records are not placed, and why.' });

const SCALES = ['linear', 'log'] as const;
const scale = z.enum(SCALES).default('linear');
const flag = z.enum(['true', 'false']).default('false');
const explain = flag.meta({ description: 'With `true`, the answer says why records are not placed.' });
const IN_UNIT = 'All numbers are in the unit of the filter for their feature.';

/** Scale and bounds of bins, checked; `names` are those of their parameters. Throws INVALID_PARAMETER. */
function scaled(
  { scale, min, max }: { scale: (typeof SCALES)[number]; min: number | undefined; max: number | undefined },
  names: { min: string; max: string; scale: string },
): { isLog: boolean; min: number | undefined; max: number | undefined } {
  const isLog = scale === 'log';
  for (const [name, bound] of [
    [names.min, min],
    [names.max, max],
  ] as const) {
    if (isLog && bound !== undefined && bound <= 0) {
      const message = `\`${name}\` must be above 0 with \`${names.scale}=log\`, got ${bound}.`;
      throw new ServiceError('INVALID_PARAMETER', message);
    }
  }
  if (min !== undefined && max !== undefined && min >= max) {
    throw new ServiceError('INVALID_PARAMETER', `\`${names.min}\` (${min}) must be below \`${names.max}\` (${max}).`);
  }
  return { isLog, min, max };
}

const facetsQuery = z.object({
  filter: filterText,
  keys: categoryList.optional(),
  limit: integerText(1, 1000)
    .default(20)
    .meta({ default: 20, description: 'The maximum number of values per category.' }),
});

const facets: Analysis<typeof facetsQuery.shape> = {
  name: 'facets',
  query: facetsQuery,
  ask: ({ filter, keys = [...categoryKeys], limit }) => ({
    filter,
    question: { $case: 'facets', value: { keys, limit } },
  }),
  describe: {
    summary: 'Count the values of categories',
    details:
      'A record counts once under each distinct value that it has. The values of each category are counted under the filter without the key of that category, so that the alternatives stay visible; `total` is counted under the whole filter.',
    returns: 'For each category its most frequent values, by count in descending order, then by value.',
    parameters: { keys: 'polymer,solvent', filter: '{"voltageMin":15}' },
  },
  answer: z.strictObject({
    total,
    version,
    facets: z.partialRecord(
      z.enum(categoryKeys),
      z.strictObject({
        values: z.array(z.strictObject({ value: z.string(), count })),
        distinct: count.meta({ description: 'The number of distinct values.' }),
        missing: count.meta({ description: 'The number of records without a value.' }),
      }),
    ),
  }),
};

const statisticsQuery = z.object({ filter: filterText, features: featureList.optional() });
const figure = z.number().nullable();

const statistics: Analysis<typeof statisticsQuery.shape> = {
  name: 'statistics',
  query: statisticsQuery,
  ask: ({ filter, features = [...featureNames] }) => ({
    filter,
    question: { $case: 'statistics', value: { features } },
  }),
  describe: {
    summary: 'Get statistics of features',
    details: `${IN_UNIT} Quantiles are interpolated linearly (type 7), and the standard deviation is that of a sample. \`count\`, \`missing\` and \`notConvertible\` add up to \`total\`.`,
    returns: 'The statistics of each feature; figures that no value has are null.',
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
      }),
    ),
  }),
};

const histogramQuery = z.object({
  filter: filterText,
  feature: featureName,
  bins: integerText(1, 200).default(30).meta({ default: 30 }),
  scale,
  min: numberText.optional().meta({ description: 'The lowest edge; defaults to the smallest value.' }),
  max: numberText.optional().meta({ description: 'The highest edge; defaults to the largest value.' }),
});
const edges = z.array(z.number()).meta({ description: 'The edges of the bins; one more than there are bins.' });

const histogram: Analysis<typeof histogramQuery.shape> = {
  name: 'histogram',
  query: histogramQuery,
  ask: ({ filter, feature, bins, scale, min, max }) => ({
    filter,
    question: {
      $case: 'histogram',
      value: { feature, bins, ...scaled({ scale, min, max }, { min: 'min', max: 'max', scale: 'scale' }) },
    },
  }),
  describe: {
    summary: 'Get the histogram of a feature',
    details: `${IN_UNIT} A bin includes its lower edge, and the last one its upper edge too. The range of the feature itself in the filter is left out. The counts, \`missing\`, \`notConvertible\`, \`below\`, \`above\` and \`nonPositive\` add up to \`total\`.`,
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
  filter: filterText,
  by: categoryName.optional(),
  limit: integerText(1, 1000).default(100).meta({ default: 100, description: 'The maximum number of rows.' }),
});

const coverage: Analysis<typeof coverageQuery.shape> = {
  name: 'coverage',
  query: coverageQuery,
  ask: ({ filter, by = 'polymer', limit }) => ({ filter, question: { $case: 'coverage', value: { by, limit } } }),
  describe: {
    summary: 'Get the completeness of the records by category',
    details: 'A value that cannot be converted counts as filled.',
    returns:
      'For each value of the category, by count in descending order, the number of records that have each feature and category.',
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

const gridBins = integerText(1, 100).default(20).meta({ default: 20 });
const gridQuery = z.object({
  filter: filterText,
  x: featureName,
  y: featureName,
  xBins: gridBins,
  yBins: gridBins,
  xScale: scale,
  yScale: scale,
  xMin: numberText.optional(),
  xMax: numberText.optional(),
  yMin: numberText.optional(),
  yMax: numberText.optional(),
  explain,
});
const axis = z.strictObject({ feature: z.enum(featureNames), unit: z.string(), scale: z.enum(SCALES), edges });
const quartiles = z.strictObject({ count, q25: figure, median: figure, q75: figure });

const grid: Analysis<typeof gridQuery.shape> = {
  name: 'grid',
  query: gridQuery,
  ask: ({ filter, x, y, ...query }) => {
    if (x === y) throw new ServiceError('INVALID_PARAMETER', `\`x\` and \`y\` must be two features, got "${x}" twice.`);
    const ofX = { scale: query.xScale, min: query.xMin, max: query.xMax };
    const ofY = { scale: query.yScale, min: query.yMin, max: query.yMax };
    return {
      filter,
      question: {
        $case: 'grid',
        value: {
          x: { feature: x, bins: query.xBins, ...scaled(ofX, { min: 'xMin', max: 'xMax', scale: 'xScale' }) },
          y: { feature: y, bins: query.yBins, ...scaled(ofY, { min: 'yMin', max: 'yMax', scale: 'yScale' }) },
          explain: query.explain === 'true',
        },
      },
    };
  },
  describe: {
    summary: 'Get the processing window of two features',
    details: `${IN_UNIT} A record is placed if both values are known, within the given bounds and, on a log scale, positive. The bins are those of a histogram.`,
    returns: 'The cells with records, each with its place along both axes, counted from 0.',
    parameters: { x: 'voltage', y: 'tipDist', xBins: 10, yBins: 10 },
  },
  answer: z.strictObject({
    x: axis,
    y: axis,
    total,
    placed,
    cells: z.array(
      z.strictObject({
        i: count.meta({ description: 'The bin along x.' }),
        j: count.meta({ description: 'The bin along y.' }),
        count,
        papers: count.meta({ description: 'The number of distinct DOIs.' }),
        stable: count,
        unstable: count,
        fiberDiameter: quartiles,
      }),
    ),
    excluded,
  }),
};

const COLORS = [...featureNames, ...categoryKeys, 'solventSystem'] as const;
const pointsQuery = z.object({
  filter: filterText,
  x: featureName,
  y: featureName,
  color: oneName('a feature, a category or "solventSystem"', COLORS).optional(),
  limit: integerText(1, 20_000).default(5_000).meta({ default: 5_000, description: 'The maximum number of points.' }),
  nulls: flag.meta({ description: 'With `true`, records that lack x or y are included, with null in its place.' }),
  explain,
});
const column = z.array(z.number().nullable());

const points: Analysis<typeof pointsQuery.shape> = {
  name: 'points',
  query: pointsQuery,
  ask: ({ filter, x, y, color, limit, nulls, explain }) => ({
    filter,
    question: {
      $case: 'points',
      value: { x, y, color, limit, nulls: nulls === 'true', explain: explain === 'true' },
    },
  }),
  describe: {
    summary: 'Get the columns of a scatter plot of two features',
    details: `${IN_UNIT} Beyond \`limit\` the answer is a sample, which is the same for the same state, filter and limit.`,
    returns:
      'The columns, in ascending order of `recordId`. The color `solventSystem` is all solvents of a record, joined by "–".',
    parameters: { x: 'voltage', y: 'fiberDiameter', color: 'polymer', limit: 100 },
  },
  answer: z.strictObject({
    total,
    placed,
    sampled: z.boolean().meta({ description: 'Whether there are more points than `limit`.' }),
    recordId: z.array(z.int()),
    x: column,
    y: column,
    color: z.array(z.union([z.number(), z.string()]).nullable()).optional(),
    excluded,
  }),
};

const nearestQuery = z.object({
  filter: filterText,
  recipe: recipeText,
  k: integerText(1, 100).default(20).meta({ default: 20, description: 'The maximum number of neighbors.' }),
  exclude: recordIdText
    .optional()
    .meta({ description: 'A record that is left out, such as the one that the recipe is of.' }),
  explain,
});
const part = z.strictObject({
  value: z.union([z.number(), z.array(z.string())]).nullable(),
  distance: z.number(),
  missing: z.boolean().meta({ description: 'Whether the record has no value, which costs a distance of 1.' }),
});

const nearest: Analysis<typeof nearestQuery.shape> = {
  name: 'nearest',
  query: nearestQuery,
  ask: ({ filter, recipe, k, exclude, explain }) => ({
    filter,
    question: { $case: 'nearest', value: { ...recipe, k, exclude, explain: explain === 'true' } },
  }),
  describe: {
    summary: 'Find the experiments most similar to a recipe',
    details:
      'The answer shows what others got near a recipe and does not predict a result. The distance of a feature is the difference, or that of the logarithms if the values span more than a decade, in units of the interquartile range. Polymer and solvent cost 0 if the sets of names are equal and 0.5 if they overlap; without a common polymer a record is not a candidate, and without a common solvent it costs 1. The distance is the mean of the parts. For a recipe of one polymer, `reliability` says how far the fiber diameters that similar experiments of other papers suggest are from those measured.',
    returns: 'The neighbors, nearest first, and their fiber diameters and stability.',
    parameters: { recipe: '{"polymer":"PVDF","voltage":15,"tipDist":12}', k: 5 },
  },
  answer: z.strictObject({
    total: count.meta({ description: 'The number of candidates.' }),
    neighbors: z.array(
      z.strictObject({
        recordId: z.int(),
        distance: z.number(),
        parts: z.partialRecord(z.enum([...featureNames, 'polymer', 'solvent']), part),
        fiberDiameter: figure,
        isFormationStable: z.boolean().nullable(),
        doi: z.string().nullable(),
      }),
    ),
    fiberDiameter: quartiles,
    stable: z.strictObject({ yes: count, no: count, unknown: count }),
    reliability: z
      .strictObject({ polymer: z.string(), papers: count, records: count, medianAbsoluteLogError: figure })
      .nullable(),
    excluded,
  }),
};

/** Analyses of the dataset and of its versions. */
export function exploreRoutes(answer: Analyses, versions: Releases): Route[] {
  return [
    ...routesOf(facets, answer, versions),
    ...routesOf(statistics, answer, versions),
    ...routesOf(histogram, answer, versions),
    ...routesOf(coverage, answer, versions),
    ...routesOf(grid, answer, versions),
    ...routesOf(points, answer, versions),
    ...routesOf(nearest, answer, versions),
  ];
}

/** The routes of an analysis: of the latest dataset, and of a version. */
function routesOf<Shape extends z.ZodRawShape>(
  { name, query, ask, describe, answer: shape }: Analysis<Shape>,
  answer: Analyses,
  versions: Releases,
): Route[] {
  const { parameters, ...words } = describe;
  const common = { method: 'get', caller: 'ignored', limit: 'analysis', query, answer: shape } as const;
  const description = { tag: 'Analysis', revalidates: true, ...words } as const;
  const asked = (values: z.output<z.ZodObject<Shape>>) => {
    const { filter, question } = ask(values);
    return { question, filter: filter === undefined ? [] : readFilter(filter), filterText: filter };
  };
  return [
    route({
      ...common,
      path: `/public/dataset/${name}`,
      describe: { ...description, errors: ['INVALID_FILTER'], example: { parameters: { ...parameters } } },
      handle: ({ query: values, request, call }, response) =>
        answer({ ...asked(values), fixed: undefined }, request, response, call),
    }),
    route({
      ...common,
      // The version may be a DOI, whose slashes stand in the path.
      path: `/public/dataset/*version/${name}`,
      describe: {
        ...description,
        summary: `${description.summary} of a version`,
        errors: ['INVALID_FILTER', 'VERSION_NOT_FOUND'],
        example: { parameters: { ...parameters, version: 'v1.0.0' } },
      },
      parameters: z.object({ version: releasePath }),
      handle: async ({ query: values, parameters: { version: name }, request, call }, response) => {
        const question = asked(values);
        // What an answer says depends on rules, however it is asked.
        const fixed = name === LATEST ? undefined : fixedState(await versions.find(name, call), name, true);
        await answer({ ...question, fixed }, request, response, call);
      },
    }),
  ];
}
