import type { ResponseAt } from '@esd/api/operations';
import type { Nearest } from '@esd/pages/explore-data';
import type { Overview } from '@esd/pages/overview';
import type { RecordContext } from '@esd/pages/record-context';
import type { ExploreQuestion } from '@esd/proto/esd/dataset/v1/dataset';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import type { Filter } from '@esd/record/filter/filter';
import type { FeatureKeys } from '@esd/record/filter/filter-keys';
import { isResult } from '@esd/record/metadata/key-labels';
import { ServiceError } from '@esd/service/errors';
import type { BodyStore } from '../bodies/body-store.ts';
import type { DatasetState } from '../dataset-log/dataset-log.store.ts';
import { type IndexAtState, matchingRows, rowsWithIds } from '../read-index/matching-rows.ts';
import type { PaperReads } from './paper-reads.ts';
import { requireCategory } from './categories.ts';
import { coverage } from './coverage.ts';
import { facets } from './facets.ts';
import { requireFeature } from './feature-scales.ts';
import { grid } from './grid.ts';
import { histogram } from './histogram.ts';
import { jsonInSlices } from './json-in-slices.ts';
import { keyCounts } from './key-counts.ts';
import { nearest } from './nearest.ts';
import { overview } from './overview.ts';
import { papers } from './papers.ts';
import { points, requireColor } from './points.ts';
import { type Recipe, resolvedRecipe } from './recipe.ts';
import { findRecord, recipeOf, recordContext } from './record-context.ts';
import { reliability } from './reliability.ts';
import { statistics } from './statistics.ts';
import { summary } from './summary.ts';

export type Question = NonNullable<ExploreQuestion['question']>;
/** A value that is written as JSON of the type. */
type Written<Value> = Value extends object ? { readonly [Member in keyof Value]: Written<Value[Member]> } : Value;
/** The written form of the response of an analysis. */
type Analysis<
  Name extends 'facets' | 'statistics' | 'histogram' | 'coverage' | 'grid' | 'points' | 'summary' | 'papers',
> = Written<ResponseAt<'get', `/public/dataset/${Name}`>>;
type Keys = Omit<Written<ResponseAt<'get', '/metadata/features'>>, 'version'> & { version: string };
/** A question for citations omits the figures of the papers. */
type Papers = Omit<Analysis<'papers'>, 'data'> & { data: readonly Partial<Analysis<'papers'>['data'][number]>[] };
export type Bodies = Pick<BodyStore, 'find'>;

export interface AnswerContext {
  index: IndexAtState;
  bodies: Bodies;
  papers: PaperReads;
  filter: Filter;
  version: string;
  /** The row ids of a public query, which replace the rows of the filter. */
  rowIds?: Int32Array | undefined;
  /** Receives the values of `doi` that the answer names. */
  dois: Set<string>;
}

/** Answers a question as JSON in UTF-8. Throws INVALID_PARAMETER, RECORD_NOT_FOUND, UNAVAILABLE. */
export async function answerTo(
  question: Question,
  { index, bodies, papers: paperReads, filter, version, rowIds, dois }: AnswerContext,
): Promise<Buffer> {
  if (rowIds && question.$case !== 'papers' && question.$case !== 'points') {
    throw new ServiceError('INVALID_REQUEST', `The question \`${question.$case}\` cannot be about a public query.`);
  }
  const rowsOf = () => (rowIds ? rowsWithIds(index, rowIds) : matchingRows(index, filter));
  switch (question.$case) {
    case 'facets': {
      const { keys, ...others } = question.value;
      const { total, ...rest } = await facets(index, filter, { ...others, keys: keys.map(requireCategory) });
      for (const { value } of rest.facets.doi?.values ?? []) dois.add(value);
      return jsonInSlices({ total, version, ...rest } satisfies Analysis<'facets'>);
    }
    case 'statistics': {
      const { features, perPaper } = question.value;
      const options = { features: features.map(requireFeature), perPaper };
      const { total, ...rest } = await statistics(index, filter, options);
      return jsonInSlices({ total, version, ...rest } satisfies Analysis<'statistics'>);
    }
    case 'histogram':
      return jsonInSlices((await histogram(index, filter, binned(question.value))) satisfies Analysis<'histogram'>);
    case 'coverage': {
      const { by, limit } = question.value;
      const { total, ...rest } = await coverage(index, filter, requireCategory(by), limit);
      if (by === 'doi') for (const { value } of rest.rows) if (value !== null) dois.add(value);
      return jsonInSlices({ total, version, ...rest } satisfies Analysis<'coverage'>);
    }
    case 'grid': {
      const { x, y, explain, ...others } = question.value;
      if (!x || !y) throw new ServiceError('INVALID_REQUEST', 'A grid requires `x` and `y`.');
      const { excluded, ...rest } = await grid(index, filter, { ...others, x: binned(x), y: binned(y) });
      return jsonInSlices((explain ? { ...rest, excluded } : rest) satisfies Analysis<'grid'>);
    }
    case 'points': {
      const { x, y, color, panel, explain, ...others } = question.value;
      const [ofColor, ofPanel] = [color, panel].map((name) => (name === undefined ? undefined : requireColor(name)));
      const options = { ...others, color: ofColor, panel: ofPanel };
      const axes = { x: requireFeature(x), y: requireFeature(y) };
      const { excluded, ...rest } = await points(index, await rowsOf(), { ...axes, ...options });
      return jsonInSlices((explain ? { ...rest, excluded } : rest) satisfies Analysis<'points'>);
    }
    case 'summary': {
      const { total, ...rest } = await summary(index, filter);
      return jsonInSlices({ total, version, ...rest } satisfies Analysis<'summary'>);
    }
    case 'keys': {
      const { total, ...rest } = await keyCounts(index);
      return jsonInSlices({ total, version, ...rest } satisfies Keys);
    }
    case 'papers': {
      const list = await papers(index, await rowsOf(), question.value, paperReads);
      addPapers(dois, list.data);
      return jsonInSlices({ ...list, version } satisfies Papers);
    }
    case 'nearest': {
      const { k, exclude, explain } = question.value;
      const recipe = resolvedRecipe(question.value, index.references);
      const { excluded, ...rest } = await nearestOf(index, bodies, filter, recipe, { k, exclude });
      addPapers(dois, rest.byPaper);
      return jsonInSlices((explain ? { ...rest, excluded } : rest) satisfies Written<Nearest>);
    }
    case 'overview': {
      const result = await overview(index, question.value);
      addPapers(dois, result.additions);
      return jsonInSlices({ version, ...result } satisfies Written<Overview> & { version: string });
    }
    case 'recordContext': {
      const { recordId, bins, neighbors: k } = question.value;
      const foundRecord = await findRecord(index, recordId);
      const recipe = await recipeOf(index, foundRecord);
      const nearest = recipe ? await nearestOf(index, bodies, [], recipe, { k, exclude: recordId }) : null;
      addPapers(dois, nearest?.byPaper ?? []);
      const read = (rowIds: readonly number[]) => readBodies(bodies, index.state, rowIds);
      return jsonInSlices({
        version,
        ...(await recordContext(index, recordId, foundRecord, bins, read)),
        nearest,
      } satisfies Written<RecordContext> & { version: string });
    }
  }
}

function addPapers(dois: Set<string>, papers: readonly { doi: string | null }[]): void {
  for (const { doi } of papers) if (doi !== null) dois.add(doi);
}

async function nearestOf(
  index: IndexAtState,
  bodies: Bodies,
  filter: Filter,
  recipe: Recipe,
  { k, exclude }: { k: number; exclude?: number | undefined },
) {
  const { total, records, neighbors, excluded, ...figures } = await nearest(index, filter, recipe, { k, exclude });
  const error = await reliability(index, recipe, k);
  const keys = [...filter.map(({ key }) => key), ...recipe.values.map(({ keys }) => keys.feature)];
  return {
    total,
    records,
    neighbors: await withDois(bodies, index.state, neighbors),
    ...figures,
    // Neighbors that are chosen by their results say nothing about the result to expect.
    interval80: keys.some(isResult) ? null : intervalOf(figures.paperMedian.median, error?.factor80 ?? null),
    reliability: error,
    excluded,
  };
}

function intervalOf(median: number | null, factor: number | null): { low: number; high: number } | null {
  return median === null || factor === null ? null : { low: median / factor, high: median * factor };
}

/** Adds the DOIs as published, which only the bodies have. */
async function withDois<Neighbor extends { rowId: number }>(
  bodies: Bodies,
  state: DatasetState,
  neighbors: readonly Neighbor[],
) {
  const found = await readBodies(
    bodies,
    state,
    neighbors.map(({ rowId }) => rowId),
  );
  return neighbors.map(({ rowId: _, ...neighbor }, at) => {
    const body = found[at];
    const doi = body === undefined ? undefined : parsePublicRecord(body.toString()).data.researchMetadata?.doi;
    return { ...neighbor, doi: doi ?? null };
  });
}

async function readBodies(
  bodies: Bodies,
  { datasetId }: DatasetState,
  rowIds: readonly number[],
): Promise<readonly Buffer[]> {
  if (rowIds.length === 0) return [];
  try {
    return await bodies.find(datasetId, rowIds);
  } catch (error) {
    // A ServiceError, so that the failure does not count as a failure of the index.
    throw new ServiceError('UNAVAILABLE', 'The records cannot be read. Retry in a moment.', { cause: error });
  }
}

function binned<Question extends { feature: string }>(
  question: Question,
): Omit<Question, 'feature'> & { feature: FeatureKeys } {
  return { ...question, feature: requireFeature(question.feature) };
}
