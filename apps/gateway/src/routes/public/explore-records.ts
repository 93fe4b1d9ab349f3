import { recipeText } from '@esd/api/recipe-text';
import { featureName, featureNames, oneName } from '@esd/api/names-text';
import { z } from 'zod';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { integerText, numberText } from '@esd/api/number-text';
import { idText } from '@esd/api/number-text';
import {
  type Analysis,
  selection,
  total,
  count,
  placed,
  excluded,
  SCALES,
  scale,
  flag,
  explain,
  IN_UNIT,
  scaled,
  figure,
  edges,
  isSet,
  papers,
  quartiles,
  stable,
  tried,
} from './explore-parts.ts';

const gridBins = integerText(1, 100).default(20).meta({ default: 20 });
const gridQuery = z.object({
  ...selection,
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
  tried,
});
const axis = z.strictObject({ feature: z.enum(featureNames), unit: z.string(), scale: z.enum(SCALES), edges });
const diameters = z.strictObject({ count, ...quartiles });
const stability = { stable: count, unstable: count };

export const grid: Analysis<typeof gridQuery.shape> = {
  name: 'grid',
  query: gridQuery,
  ask: ({ filter, repeats, x, y, ...query }) => {
    if (x === y) throw new ServiceError('INVALID_PARAMETER', `\`x\` and \`y\` must be two features, got "${x}" twice.`);
    const ofX = { scale: query.xScale, min: query.xMin, max: query.xMax };
    const ofY = { scale: query.yScale, min: query.yMin, max: query.yMax };
    return {
      filter,
      repeats,
      question: {
        $case: 'grid',
        value: {
          x: { feature: x, bins: query.xBins, ...scaled(ofX, { min: 'xMin', max: 'xMax', scale: 'xScale' }) },
          y: { feature: y, bins: query.yBins, ...scaled(ofY, { min: 'yMin', max: 'yMax', scale: 'yScale' }) },
          explain: query.explain === 'true',
          tried: isSet(query.tried),
        },
      },
    };
  },
  describe: {
    summary: 'Get the processing window of two features',
    details: `${IN_UNIT} A record is placed if both values are known, within the given bounds and, on a log scale, positive. Bins include their edges as in the histogram. With \`tried=true\`, the edges span the tried records, and the response lists all cells with tried records; \`count\` can be 0.`,
    returns: 'The cells with records, each with its position along both axes, counted from 0.',
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
        papers,
        ...stability,
        fiberDiameter: diameters,
        tried: z
          .strictObject({ count, papers, ...stability })
          .optional()
          .meta({ description: 'With `tried=true`, the tried records of the cell.' }),
      }),
    ),
    tried: z.strictObject({ total: count, placed }).optional().meta({
      description: 'With `tried=true`, the number of tried records, and of those with both values.',
    }),
    excluded,
  }),
};

const COLORS = [...featureNames, ...categoryKeys, 'solventSystem'] as const;
const pointsQuery = z.object({
  ...selection,
  x: featureName,
  y: featureName,
  color: oneName('a feature, a category or "solventSystem"', COLORS).optional(),
  limit: integerText(1, 20_000).default(5_000).meta({ default: 5_000, description: 'The maximum number of points.' }),
  nulls: flag.meta({
    description: 'With `true`, records without x or y are included, with null for the missing value.',
  }),
  explain,
});
const column = z.array(z.number().nullable());

export const points: Analysis<typeof pointsQuery.shape> = {
  name: 'points',
  query: pointsQuery,
  ask: ({ filter, repeats, x, y, color, limit, nulls, explain }) => ({
    filter,
    repeats,
    question: {
      $case: 'points',
      value: { x, y, color, limit, nulls: nulls === 'true', explain: explain === 'true' },
    },
  }),
  describe: {
    summary: 'Get the columns of a scatter plot of two features',
    details: `${IN_UNIT} Beyond \`limit\`, the response is a sample. The sample is the same for the same dataset state, filter and limit.`,
    returns:
      'The columns, in ascending order of `recordId`. The color `solventSystem` consists of all solvents of a record, joined by "–".',
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
    multiplicity: z
      .array(z.int().min(1))
      .optional()
      .meta({ description: 'With `repeats=once`, the number of records in the group of each point.' }),
    excluded,
  }),
};

const nearestQuery = z.object({
  ...selection,
  recipe: recipeText,
  k: integerText(1, 100).default(20).meta({ default: 20, description: 'The maximum number of neighbors.' }),
  exclude: idText.optional().meta({
    description:
      'A record to exclude, such as the source of the recipe. With `repeats=once`, its whole group is excluded.',
  }),
  explain,
});
const part = z.strictObject({
  value: z.union([z.number(), z.array(z.string())]).nullable(),
  distance: z.number(),
  missing: z.boolean().meta({ description: 'Whether the record has no value, which adds a distance of 1.' }),
});

export const nearest = {
  name: 'nearest',
  query: nearestQuery,
  ask: ({ filter, repeats, recipe, k, exclude, explain }) => ({
    filter,
    repeats,
    question: { $case: 'nearest', value: { ...recipe, k, exclude, explain: explain === 'true' } },
  }),
  describe: {
    summary: 'Find the experiments most similar to a recipe',
    details:
      'The response shows the results of similar experiments; it does not predict a result. The distance of a feature is the difference in units of the interquartile range. If the values span more than a decade, it is the difference of the logarithms. Polymer and solvent add 0 if the sets of names are equal, and 0.5 if they overlap. A record without a common polymer is not a candidate; without a common solvent, the solvent adds 1. The distance is the mean of the parts. For a recipe of one polymer, `reliability` compares the measured fiber diameters with those that similar experiments of other papers suggest. 80 % of the measured diameters lie within the ratio `factor80` of the suggested ones, with equal weight for each paper.',
    returns:
      'The neighbors, nearest first, and their fiber diameters and stability, also by paper. All neighbors without a DOI are one paper. `interval80` is the range of `factor80` around the median of the papers. It is null if the recipe or the filter has a result, or if too few papers have data.',
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
        repeats: z.array(z.int()).optional().meta({
          description: 'With `repeats=once`, the first 1,000 other records of the group, in ascending order.',
        }),
      }),
    ),
    fiberDiameter: diameters,
    stable,
    byPaper: z.array(z.strictObject({ doi: z.string().nullable(), count, median: figure, ...stability })).meta({
      description: "The papers of the neighbors, in the order of each paper's first neighbor.",
    }),
    paperMedian: z
      .strictObject({ papers: count, ...quartiles })
      .meta({ description: 'The quartiles of the medians of these papers.' }),
    interval80: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
    reliability: z
      .strictObject({
        polymer: z.string(),
        papers: count,
        records: count,
        medianAbsoluteLogError: figure,
        factor80: figure.meta({ description: 'Null if the polymer has fewer than five papers.' }),
      })
      .nullable(),
    excluded,
  }),
} satisfies Analysis<typeof nearestQuery.shape>;
