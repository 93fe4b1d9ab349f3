import { categoryKeys } from '@esd/record/filter/filter-keys';
import { citationFileNames, citationFiles } from '@esd/record/papers/citation-files';
import { paperSources } from '@esd/record/papers/paper';
import { z } from 'zod';
import { unexplained } from './dataset.ts';
import { stateHeaders } from './dataset-headers.ts';
import { categoryList, categoryName, featureList, featureName, featureNames, oneName } from './names-text.ts';
import { idText, integerText, numberText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { paperDoi, paperMembers } from './paper.ts';
import { recipeText } from './recipe-text.ts';
import { analysisRepeats, filterText } from './record-list.ts';
import { releasePath } from './release-name.ts';

/** The parameters that select the records of an analysis. */
const selection = { filter: filterText, repeats: analysisRepeats };

const total = z.int().min(0).meta({
  description: 'The number of matching records; with `repeats=once`, each group of repeated records counts once.',
});
const records = z.int().min(0).meta({ description: 'The number of matching records with all repeated ones.' });
const version = z.string().meta({ description: '`latest` or the identifier of a release.' });
const count = z.int().min(0);
const missing = count.meta({ description: 'The number of records without a value.' });
const notConvertible = count.meta({
  description: 'The number of records with a value that cannot be converted.',
});
const placed = count.meta({ description: 'The number of records with both values.' });
const excluded = z
  .array(z.strictObject({ reason: z.string(), feature: z.enum(featureNames).optional(), count }))
  .optional()
  .meta({ description: 'With `explain=true`, the number of matching records that are not placed, by reason.' });

const SCALES = ['linear', 'log'] as const;
const scale = z.enum(SCALES).default('linear');
const flag = z.enum(['true', 'false']).default('false');
const explain = flag.meta({ description: 'With `true`, the response says why records are not placed.' });
const tried = flag.meta({
  description:
    'With `true`, the response also describes the tried records: those that match the filter without its conditions on results. `GET /metadata/features` lists which keys are results.',
});
const IN_UNIT = 'All numbers are in the unit of the filter for their feature.';

const figure = z.number().nullable();
const quartiles = { q25: figure, median: figure, q75: figure };
const stable = z.strictObject({ yes: count, no: count, unknown: count });
const paperCount = count.meta({ description: 'The number of distinct DOIs.' });
const edges = z.array(z.number()).meta({ description: 'The edges of the bins; one more than there are bins.' });

const releaseParameters = z.object({ version: releasePath });

/** Declares an analysis of the latest dataset, and the same of a release. */
function analysis<const Name extends string, Query extends z.ZodObject, Response extends z.ZodObject>(
  name: Name,
  {
    describe,
    example,
    ...shared
  }: {
    query: Query;
    describe: Pick<Description, 'summary' | 'details' | 'returns' | 'otherTypes'>;
    example: Readonly<Record<string, string | number>>;
    response: Response;
  },
) {
  const common = { ...shared, method: 'get', caller: 'ignored', limit: 'analysis' } as const;
  const description = { tag: 'Analysis', answerHeaders: stateHeaders, revalidates: true, ...describe } as const;
  return {
    latest: operation({
      ...common,
      path: `/public/dataset/${name}`,
      describe: { ...description, errors: ['INVALID_FILTER'], example: { parameters: example } },
    }),
    ofRelease: operation({
      ...common,
      path: `/public/dataset/{*version}/${name}`,
      describe: {
        ...description,
        summary: `${describe.summary} of a release`,
        errors: ['INVALID_FILTER', 'VERSION_NOT_FOUND'],
        example: { parameters: { ...example, version: 'v1.0.0' } },
      },
      parameters: releaseParameters,
    }),
  };
}

const facetsQuery = z.object({
  ...selection,
  keys: categoryList.optional(),
  limit: integerText(1, 1000)
    .default(20)
    .meta({ default: 20, description: 'The maximum number of values per category.' }),
  tried,
});

export const facets = analysis('facets', {
  query: facetsQuery,
  describe: {
    summary: 'Count the values of categories',
    details:
      'A record counts once for each of its distinct values. The values of a category are counted without the filter on that category, so that the alternatives remain visible. `total` uses the whole filter. With `tried=true`, the values are those of the tried records, and `count` can be 0.',
    returns:
      'The most frequent values of each category, in descending order of count, then of the count of tried records, then by value.',
  },
  example: { keys: 'polymer,solvent', filter: '{"voltageMin":15}' },
  response: z.strictObject({
    total,
    records,
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
});

const statisticsQuery = z.object({
  ...selection,
  features: featureList.optional(),
  perPaper: flag.meta({
    description:
      'With `true`, each feature has the quartiles of the medians of its papers. All records without a DOI are one paper.',
  }),
});

export const statistics = analysis('statistics', {
  query: statisticsQuery,
  describe: {
    summary: 'Get statistics of features',
    details: `${IN_UNIT} Quantiles are interpolated linearly (type 7). The standard deviation is the sample standard deviation. \`count\`, \`missing\` and \`notConvertible\` add up to \`total\`.`,
    returns: 'The statistics of each feature. A figure that cannot be computed is null.',
  },
  example: { features: 'voltage,fiberDiameter', filter: '{"polymer":"PVDF"}' },
  response: z.strictObject({
    total,
    records,
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
});

const summaryQuery = z.object(selection);

export const summary = analysis('summary', {
  query: summaryQuery,
  describe: {
    summary: 'Compare the matching records with the tried ones',
    details:
      'The tried records match the filter without its conditions on results. `GET /metadata/features` lists which keys are results. A failed run often reports no result, so a filter by a result hides it.',
    returns:
      'The counts of the matching and of the tried records. `cannotMatch` has an entry for each result of the filter: the tried records without a value that the filter can compare.',
  },
  example: { filter: '{"polymer":"=PVDF","fiberDiameterMax":500}' },
  response: z.strictObject({
    total,
    records,
    version,
    papers: paperCount,
    stable,
    tried: z.strictObject({
      total: count.meta({ description: 'The number of tried records.' }),
      papers: paperCount,
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
    unexplained: count.meta({
      description:
        'The number of matching records for which another record of the paper has equal settings and a fiber diameter that differs by more than a factor of 1.5.',
    }),
  }),
});

const histogramQuery = z.object({
  ...selection,
  feature: featureName,
  bins: integerText(1, 200).default(30).meta({ default: 30 }),
  scale,
  min: numberText.optional().meta({ description: 'The lowest edge; defaults to the smallest value.' }),
  max: numberText.optional().meta({ description: 'The highest edge; defaults to the largest value.' }),
});

export const histogram = analysis('histogram', {
  query: histogramQuery,
  describe: {
    summary: 'Get the histogram of a feature',
    details: `${IN_UNIT} A bin includes its lower edge; the last bin also includes its upper edge. The range of this feature in the filter is ignored. The counts, \`missing\`, \`notConvertible\`, \`below\`, \`above\` and \`nonPositive\` add up to \`total\`.`,
    returns: 'The edges of the bins and the number of records in each; without values there are no bins.',
  },
  example: { feature: 'fiberDiameter', bins: 10, scale: 'log' },
  response: z.strictObject({
    feature: z.enum(featureNames),
    unit: z.string(),
    scale: z.enum(SCALES),
    total,
    records,
    edges,
    counts: z.array(count),
    missing,
    notConvertible,
    below: count.meta({ description: 'The number of records with a value below `min`.' }),
    above: count.meta({ description: 'The number of records with a value above `max`.' }),
    nonPositive: count.meta({ description: 'The number of records with a value that has no logarithm.' }),
  }),
});

const coverageQuery = z.object({
  ...selection,
  by: categoryName.optional(),
  limit: integerText(1, 1000).default(100).meta({ default: 100, description: 'The maximum number of rows.' }),
});

export const coverage = analysis('coverage', {
  query: coverageQuery,
  describe: {
    summary: 'Get the completeness of the records by category',
    details: 'A value that cannot be converted counts as filled.',
    returns:
      'For each value of the category, in descending order of count, the number of records that have each feature and category.',
  },
  example: { by: 'polymer', limit: 10 },
  response: z.strictObject({
    total,
    records,
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
});

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

export const grid = analysis('grid', {
  query: gridQuery,
  describe: {
    summary: 'Get the processing window of two features',
    details: `${IN_UNIT} A record is placed if both values are known, within the given bounds and, on a log scale, positive. Bins include their edges as in the histogram. With \`tried=true\`, the edges span the tried records, and the response lists all cells with tried records; \`count\` can be 0.`,
    returns: 'The cells with records, each with its position along both axes, counted from 0.',
  },
  example: { x: 'voltage', y: 'tipDist', xBins: 10, yBins: 10 },
  response: z.strictObject({
    x: axis,
    y: axis,
    total,
    records,
    placed,
    cells: z.array(
      z.strictObject({
        i: count.meta({ description: 'The bin along x.' }),
        j: count.meta({ description: 'The bin along y.' }),
        count,
        papers: paperCount,
        ...stability,
        fiberDiameter: diameters,
        tried: z
          .strictObject({ count, papers: paperCount, ...stability })
          .optional()
          .meta({ description: 'With `tried=true`, the tried records of the cell.' }),
      }),
    ),
    tried: z.strictObject({ total: count, placed }).optional().meta({
      description: 'With `tried=true`, the number of tried records, and of those with both values.',
    }),
    excluded,
  }),
});

const COLORS = [...featureNames, ...categoryKeys] as const;
const pointsQuery = z.object({
  ...selection,
  x: featureName,
  y: featureName,
  color: oneName('a feature or a category', COLORS).optional(),
  limit: integerText(1, 20_000).default(5_000).meta({ default: 5_000, description: 'The maximum number of points.' }),
  nulls: flag.meta({
    description: 'With `true`, records without x or y are included, with null for the missing value.',
  }),
  explain,
});
const column = z.array(z.number().nullable());

export const points = analysis('points', {
  query: pointsQuery,
  describe: {
    summary: 'Get the columns of a scatter plot of two features',
    details: `${IN_UNIT} Beyond \`limit\`, the response is a sample. The sample is the same for the same dataset state, filter and limit.`,
    returns: 'The columns, in ascending order of `recordId`.',
  },
  example: { x: 'voltage', y: 'fiberDiameter', color: 'polymer', limit: 100 },
  response: z.strictObject({
    total,
    records,
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
});

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

export const nearest = analysis('nearest', {
  query: nearestQuery,
  describe: {
    summary: 'Find the experiments most similar to a recipe',
    details:
      'The response shows the results of similar experiments; it does not predict a result. The distance of a feature is the difference in units of the interquartile range. If the values span more than a decade, it is the difference of the logarithms. Polymer and solvent add 0 if the sets of names are equal, and 0.5 if they overlap. A record without a common polymer is not a candidate; without a common solvent, the solvent adds 1. The distance is the mean of the parts. For a recipe of one polymer, `reliability` compares the measured fiber diameters with those that similar experiments of other papers suggest. 80 % of the measured diameters lie within the ratio `factor80` of the suggested ones, with equal weight for each paper.',
    returns:
      'The neighbors, nearest first, and their fiber diameters and stability, also by paper. All neighbors without a DOI are one paper. `interval80` is the range of `factor80` around the median of the papers. It is null if the recipe or the filter has a result, or if too few papers have data.',
  },
  example: { recipe: '{"polymer":"PVDF","voltage":15,"tipDist":12}', k: 5 },
  response: z.strictObject({
    total: count.meta({ description: 'The number of candidates.' }),
    records: count.meta({ description: 'The number of candidates with all repeated ones.' }),
    neighbors: z.array(
      z.strictObject({
        recordId: z.int(),
        distance: z.number(),
        parts: z.partialRecord(z.enum([...featureNames, 'polymer', 'solvent']), part),
        fiberDiameter: figure,
        isFormationStable: z.boolean().nullable(),
        doi: z.string().nullable(),
        unexplained,
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
});

const SORTS = ['records', 'year', 'doi'] as const;
const sortNames = SORTS.flatMap((name) => [name, `-${name}`]);

const pageShape = {
  sort: z.enum(sortNames).optional().meta({
    default: '-records',
    description:
      'With `-` before a key for descending order. Ties are in ascending order of `doi`; a missing year comes last.',
  }),
  skip: integerText(0, Number.MAX_SAFE_INTEGER).optional().meta({ type: 'integer', minimum: 0, default: 0 }),
  limit: integerText(1, 1000).optional().meta({ type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  design: z
    .enum(['true', 'false'])
    .optional()
    .meta({ default: 'false', description: 'With `true`, each paper lists the settings that its records report.' }),
  format: z
    .enum(citationFileNames)
    .optional()
    .meta({ description: 'All papers as one citation file, without other parameters than `filter` and `repeats`.' }),
};
const papersQuery = z.object({ ...selection, ...pageShape });
const { skip, limit, format } = pageShape;
const queryPapersQuery = z.object({ skip, limit, format });

const listedPaper = z.strictObject({
  doi: paperDoi,
  ...paperMembers,
  title: z.string().optional().meta({ description: 'Absent if neither the list of papers nor a record gives one.' }),
  authors: paperMembers.authors.optional(),
  source: z
    .enum([...paperSources, 'records'])
    .nullable()
    .meta({ description: '`records` if the title comes from the records; null without a title.' }),
  records: count,
  stable: count,
  unstable: count,
  polymers: z.array(z.string()),
  solvents: z.array(z.string()),
  fiberDiameter: z.strictObject({ count, q25: figure, median: figure, q75: figure }),
  design: z
    .array(
      z.strictObject({
        key: z.string(),
        reported: count.meta({ description: 'The number of records with a value.' }),
        distinct: count.meta({ description: 'The number of distinct values.' }),
        values: z
          .array(z.union([z.number(), z.string()]))
          .meta({ description: 'The first 20 distinct values, ascending, in the unit of the filter.' }),
      }),
    )
    .optional(),
});

const papersResponse = z.strictObject({
  data: z.array(listedPaper),
  total: count.meta({ description: 'The number of papers.' }),
  withoutPaper: count.meta({ description: 'The number of matching records without a paper.' }),
  skip: count,
  limit: z.int().min(1).max(1000),
  version,
});

export const papers = analysis('papers', {
  query: papersQuery,
  describe: {
    summary: 'List the papers of records',
    details:
      'Counts and figures of each paper over the matching records. Bibliographic facts come from the list of papers at the state that is read. With `format`, the response is a file and counts in the rate limit `exports`.',
    returns: 'A page of papers. Values of `design` are those that a filter can compare.',
    otherTypes: citationFileNames.map((name) => citationFiles[name].mediaType.replace(/;.*/, '')),
  },
  example: { filter: '{"polymer":"PVDF"}' },
  response: papersResponse,
});

export const listQueryPapers = operation({
  ...papers.latest,
  path: '/public/queries/{id}/papers',
  describe: {
    ...papers.latest.describe,
    tag: 'Queries',
    summary: 'List the papers of a public query',
    details: 'Bibliographic facts come from the list of papers at the dataset revision of the query.',
    errors: ['QUERY_NOT_FOUND'],
    example: { parameters: { id: 'cfb88d67ce1d208f0d8c3a27bf10e81b' } },
  },
  parameters: z.object({ id: z.string() }),
  query: queryPapersQuery,
});
