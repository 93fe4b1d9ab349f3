import { coverage, facets, grid, histogram, nearest, points, statistics, summary } from '@esd/api/analyses';
import { featureNames } from '@esd/api/names-text';
import type { QueryOf, ResponseOf } from '@esd/api/operation';
import type { Question } from '@esd/dataset-client/explore-one';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { readFilter } from '../../http/query.ts';
import type { AnalysisQuestion } from '../../reads/analyses.ts';

export const ANALYSES = { summary, facets, statistics, histogram, coverage, grid, points, nearest };
export type AnalysisName = keyof typeof ANALYSES;
export type AnalysisQueries = { readonly [Name in AnalysisName]: QueryOf<(typeof ANALYSES)[Name]['latest']> };
export type AnalysisResponses = { readonly [Name in AnalysisName]: ResponseOf<(typeof ANALYSES)[Name]['latest']> };

/** Converts the query of an analysis. Throws INVALID_FILTER, and INVALID_PARAMETER for bounds that contradict each other. */
export function analysisQuestion<Name extends AnalysisName>(
  name: Name,
  query: AnalysisQueries[Name],
): Omit<AnalysisQuestion, 'named'> {
  const question = QUESTIONS[name](query);
  return { question, filter: readFilter(query.filter), once: query.repeats === 'once' };
}

const QUESTIONS: { readonly [Name in AnalysisName]: (query: AnalysisQueries[Name]) => Question } = {
  summary: () => ({ $case: 'summary', value: {} }),
  facets: ({ keys = [...categoryKeys], limit, tried }) => ({
    $case: 'facets',
    value: { keys, limit, tried: isSet(tried) },
  }),
  statistics: ({ features = [...featureNames], perPaper }) => ({
    $case: 'statistics',
    value: { features, perPaper: isSet(perPaper) },
  }),
  histogram: ({ feature, bins, ...range }) => ({
    $case: 'histogram',
    value: { feature, bins, ...scaled(range, { min: 'min', max: 'max', scale: 'scale' }) },
  }),
  coverage: ({ by = 'polymer', limit }) => ({ $case: 'coverage', value: { by, limit } }),
  grid: ({ x, y, ...query }) => {
    if (x === y) throw new ServiceError('INVALID_PARAMETER', `\`x\` and \`y\` must be two features, got "${x}" twice.`);
    const ofX = { scale: query.xScale, min: query.xMin, max: query.xMax };
    const ofY = { scale: query.yScale, min: query.yMin, max: query.yMax };
    return {
      $case: 'grid',
      value: {
        x: { feature: x, bins: query.xBins, ...scaled(ofX, { min: 'xMin', max: 'xMax', scale: 'xScale' }) },
        y: { feature: y, bins: query.yBins, ...scaled(ofY, { min: 'yMin', max: 'yMax', scale: 'yScale' }) },
        explain: query.explain === 'true',
        tried: isSet(query.tried),
      },
    };
  },
  points: ({ x, y, color, limit, nulls, explain }) => ({
    $case: 'points',
    value: { x, y, color, limit, nulls: nulls === 'true', explain: explain === 'true' },
  }),
  nearest: ({ recipe, k, exclude, explain }) => ({
    $case: 'nearest',
    value: { ...recipe, k, exclude, explain: explain === 'true' },
  }),
};

/** Returns the member of a question for a flag. It is absent if the flag is not set, so that both spellings are one question. */
function isSet(value: 'true' | 'false'): true | undefined {
  return value === 'true' || undefined;
}

/** Validates the scale and the bounds of bins. `names` are the parameter names for messages. Throws INVALID_PARAMETER. */
function scaled(
  { scale, min, max }: Pick<AnalysisQueries['histogram'], 'scale' | 'min' | 'max'>,
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
