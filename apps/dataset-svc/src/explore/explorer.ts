import type { ExploreQuestion } from '@esd/proto/esd/dataset/v1/dataset';
import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import type { Filter } from '@esd/record/filter/filter';
import type { FeatureKeys } from '@esd/record/filter/filter-keys';
import { ServiceError, toServiceError } from '@esd/service/errors';
import { LRUCache } from 'lru-cache';
import type { BodyStore } from '../bodies/body-store.ts';
import type { DatasetState } from '../dataset-log/dataset-log.store.ts';
import { findSlot, type Reading } from '../read-index/matching-rows.ts';
import { findPage, type PageRequest, type ReadIndex, type WantedState } from '../read-index/read-index.ts';
import { requireCategory } from './categories.ts';
import { coverage } from './coverage.ts';
import { facets } from './facets.ts';
import { requireFeature } from './feature-scales.ts';
import { grid } from './grid.ts';
import { histogram } from './histogram.ts';
import { jsonInSlices } from './json-in-slices.ts';
import { type Neighbor, nearest } from './nearest.ts';
import { overview } from './overview.ts';
import { papers } from './papers.ts';
import { points, requireColor } from './points.ts';
import { type Recipe, resolvedRecipe } from './recipe.ts';
import { findRecord, recipeOf, recordContext } from './record-context.ts';
import { reliability } from './reliability.ts';
import { statistics } from './statistics.ts';
import { summary } from './summary.ts';

type Question = NonNullable<ExploreQuestion['question']>;

/** Questions about the records that match, a page of them, and records by their ids; see ExploreRequest. */
export interface Exploration extends WantedState {
  filter: Filter;
  /** The version that the answers report. */
  version: string;
  questions: readonly Question[];
  records?: Pick<PageRequest, 'skip' | 'limit' | 'sort'> | undefined;
  recordIds: readonly number[];
}

export interface Explored {
  state: DatasetState;
  total: number;
  /** As JSON, in the order of the questions. */
  answersJson: Buffer[];
  /** The rows of the page: ids of record_revision. */
  rowIds: number[];
  /** The rows of the records by their ids, as far as they are public at the state. */
  chosenRowIds: number[];
}

export interface Explorer {
  /**
   * Answers everything at one state, and begins nothing more once the signal aborts. Throws INVALID_PARAMETER for an invalid question,
   * RECORD_NOT_FOUND, and UNAVAILABLE as the read index does.
   */
  explore(exploration: Exploration, signal: AbortSignal): Promise<Explored>;
}

type Bodies = Pick<BodyStore, 'find'>;

const CACHE_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 500;

/** Answers questions about the records that match. Answers over all records are cached: each is computed once a revision. */
export function openExplorer(index: Pick<ReadIndex, 'ask'>, bodies: Bodies): Explorer {
  const cache = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (json, key) => json.length + key.length + ENTRY_BYTES,
  });
  const answer = async (reading: Reading, { filter, version }: Exploration, question: Question): Promise<Buffer> => {
    if (filter.length > 0) return answerOf(reading, bodies, filter, question, version);
    const { datasetId, revision } = reading.state;
    const key = JSON.stringify([datasetId, revision, version, question]);
    const cached = cache.get(key);
    if (cached) return cached;
    const made = await answerOf(reading, bodies, filter, question, version);
    cache.set(key, made);
    return made;
  };
  return {
    explore: async (exploration, signal) => {
      const { filter, questions, records = { skip: 0, limit: 0 }, recordIds } = exploration;
      const { state, answer: explored } = await index.ask(exploration, async (reading) => {
        const answersJson: Buffer[] = [];
        for (const question of questions) {
          if (signal.aborted) throw toServiceError(signal.reason);
          answersJson.push(await answer(reading, exploration, question));
        }
        const { total, rowIds } = await findPage(reading, { filter, ...records });
        const slots = await Promise.all(recordIds.map((recordId) => findSlot(reading, recordId)));
        const chosenRowIds = slots.flatMap((slot) => (slot === undefined ? [] : (reading.columns.rowId[slot] ?? [])));
        return { answersJson, total, rowIds, chosenRowIds };
      });
      return { state, ...explored };
    },
  };
}

async function answerOf(
  reading: Reading,
  bodies: Bodies,
  filter: Filter,
  question: Question,
  version: string,
): Promise<Buffer> {
  switch (question.$case) {
    case 'facets': {
      const { keys, limit } = question.value;
      const { total, ...rest } = await facets(reading, filter, { keys: keys.map(requireCategory), limit });
      return jsonInSlices({ total, version, ...rest });
    }
    case 'statistics': {
      const { total, ...rest } = await statistics(reading, filter, question.value.features.map(requireFeature));
      return jsonInSlices({ total, version, ...rest });
    }
    case 'histogram':
      return jsonInSlices(await histogram(reading, filter, binned(question.value)));
    case 'coverage': {
      const { by, limit } = question.value;
      const { total, ...rest } = await coverage(reading, filter, requireCategory(by), limit);
      return jsonInSlices({ total, version, ...rest });
    }
    case 'grid': {
      const { x, y, explain } = question.value;
      if (!x || !y) throw new ServiceError('INVALID_REQUEST', 'A grid needs two axes.');
      const { excluded, ...rest } = await grid(reading, filter, binned(x), binned(y));
      return jsonInSlices(explain ? { ...rest, excluded } : rest);
    }
    case 'points': {
      const { x, y, color, explain, ...others } = question.value;
      const wanted = { ...others, color: color === undefined ? undefined : requireColor(color) };
      const axes = { x: requireFeature(x), y: requireFeature(y) };
      const { excluded, ...rest } = await points(reading, filter, { ...axes, ...wanted });
      return jsonInSlices(explain ? { ...rest, excluded } : rest);
    }
    case 'papers':
      return jsonInSlices({ version, ...(await papers(reading, filter, question.value.limit)) });
    case 'summary':
      return jsonInSlices(await summary(reading, filter, question.value.maxCompared));
    case 'nearest': {
      const { k, exclude, explain } = question.value;
      const recipe = resolvedRecipe(question.value, reading.references);
      const { excluded, ...rest } = await nearestOf(reading, bodies, filter, recipe, { k, exclude });
      return jsonInSlices(explain ? { ...rest, excluded } : rest);
    }
    case 'overview':
      return jsonInSlices({ version, ...(await overview(reading, question.value)) });
    case 'recordContext': {
      const { recordId, bins, neighbors: k } = question.value;
      const found = await findRecord(reading, recordId);
      const recipe = await recipeOf(reading, found);
      const read = (rowIds: readonly number[]) => readBodies(bodies, reading.state, rowIds);
      return jsonInSlices({
        version,
        ...(await recordContext(reading, recordId, found, bins, read)),
        nearest: recipe ? await nearestOf(reading, bodies, [], recipe, { k, exclude: recordId }) : null,
      });
    }
  }
}

/** The experiments that are most similar to a recipe, and how far such are off. */
async function nearestOf(
  reading: Reading,
  bodies: Bodies,
  filter: Filter,
  recipe: Recipe,
  { k, exclude }: { k: number; exclude?: number | undefined },
) {
  const { total, neighbors, excluded, ...figures } = await nearest(reading, filter, recipe, { k, exclude });
  return {
    total,
    neighbors: await withDois(bodies, reading.state, neighbors),
    ...figures,
    reliability: await reliability(reading, recipe, k),
    excluded,
  };
}

/** Neighbors with their DOIs as published, which only their bodies have. */
async function withDois(bodies: Bodies, state: DatasetState, neighbors: readonly Neighbor[]): Promise<object[]> {
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
    // It is no failure of the index, in which this runs.
    throw new ServiceError('UNAVAILABLE', 'The records cannot be read; try again.', error);
  }
}

function binned<Question extends { feature: string }>(
  question: Question,
): Omit<Question, 'feature'> & { feature: FeatureKeys } {
  return { ...question, feature: requireFeature(question.feature) };
}
