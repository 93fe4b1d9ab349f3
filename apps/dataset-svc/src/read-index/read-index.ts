import { LRUCache } from 'lru-cache';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Filter } from '@esd/record/filter/filter';
import type { FeatureValues } from '@esd/record/filter/feature-values';
import type { Feature } from '@esd/record/filter/filter-keys';
import type { PaperValues } from '@esd/record/filter/paper-values';
import type { References } from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import type { Dependency } from '@esd/service/health/readiness';
import type { Kysely } from 'kysely';
import { type DatasetState, getState } from '../dataset-log/dataset-log.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { categoryTable } from './category-table.ts';
import { FIRST_NUMBER } from './coded-column.ts';
import type { Columns, RowOfRecord } from './columns.ts';
import { distributionOf, numbersAt } from './distribution.ts';
import { type FilledIndex, followLog } from './follow-log.ts';
import { type IndexAtState, matchingRows } from './matching-rows.ts';
import { findPage, type FoundPage, type PageRequest, rowIdsOf } from './find-page.ts';
import { sortedRows } from './sorted-rows.ts';
import { featureKeys } from './index-row.table.ts';

export interface Found extends FoundPage {
  state: DatasetState;
}

export interface WantedState {
  /** The newest state that the caller has seen. The result is not older. */
  atLeast?: DatasetRevision | undefined;
  revision?: number | undefined;
  /** Whether each group of records that repeat each other counts once. Default: false. */
  once?: boolean | undefined;
}

export type Question = PageRequest & WantedState;

export interface ReadIndex {
  /** Returns the newest state of this replica. Waits up to 200 ms for `atLeast`, then throws UNAVAILABLE. */
  state(atLeast?: DatasetRevision): Promise<DatasetState>;
  /** Finds a page of results. Throws UNAVAILABLE if the index is not filled, is behind, or fails. */
  find(question: Question): Promise<Found>;
  /** Finds all records that match. Throws as `find` does. */
  findAll(
    filter: Filter,
    of?: Pick<Question, 'sort' | keyof WantedState>,
  ): Promise<{ state: DatasetState; rowIds: Int32Array }>;
  /** Returns the usual range of each feature at the newest state. Computed once per state. */
  featureRanges(): Promise<{ state: DatasetState; ranges: UsualRange[] }>;
  /** Calls `answer` with the index at one state. Throws as `find` does, and any ServiceError of `answer`. */
  ask<Answer>(
    of: WantedState,
    answer: (index: IndexAtState) => Promise<Answer>,
  ): Promise<{ state: DatasetState; answer: Answer }>;
  /** Returns the features of rows, converted with the lists of their publication. Throws UNAVAILABLE for an unknown row. */
  featuresOf(rows: readonly RowOfRecord[]): Promise<FeatureValues[]>;
  /** Returns the values of a paper at a dataset revision, by its DOI as in the category `doi`. */
  paperAt(doi: string, revision: number): Promise<PaperValues | undefined>;
  /** Returns the values of the papers of rows at a dataset revision. Throws UNAVAILABLE for an unknown row. */
  papersOf(rows: readonly RowOfRecord[], revision: number): Promise<PaperValues[]>;
  dependency: Dependency;
  stop(): Promise<void>;
}

/** The usual range of a feature, in the unit of its filter. */
export interface UsualRange {
  feature: Feature;
  count: number;
  /** The 0.1 percentile. */
  low: number;
  /** The 99.9 percentile. */
  high: number;
  p1: number;
  p99: number;
}

interface Options {
  database: Kysely<Tables>;
  databaseUrl: string;
  log: Logger;
}

interface StateWithLists {
  state: DatasetState;
  references: References;
}

const WAIT_MS = 200;
const MAX_STATES_CACHED = 32;
/** Ascending, as `numbersAt` expects. */
const SHARES = [0.001, 0.01, 0.99, 0.999];

/**
 * Opens the index: columns in memory that are filled from PostgreSQL and follow the log. An index that fails is discarded and filled
 * again; until then all reads throw UNAVAILABLE.
 */
export function openReadIndex(options: Options): ReadIndex {
  const { database, log } = options;
  const follower = followLog(options);
  const earlier = new LRUCache<string, StateWithLists>({ max: MAX_STATES_CACHED });
  let ranges: { state: DatasetState; ranges: UsualRange[] } | undefined;

  const usable = async (atLeast?: Partial<DatasetRevision>): Promise<FilledIndex> => {
    const { datasetId, revision = 0 } = atLeast ?? {};
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const index = follower.current();
      // A state of a replaced dataset cannot be compared.
      const isOther = datasetId !== undefined && index !== undefined && index.state.datasetId !== datasetId;
      if (index && (isOther || index.state.revision >= revision)) return index;
      const left = until - Date.now();
      if (left <= 0) throw new ServiceError('UNAVAILABLE', 'This replica is still catching up. Retry in a moment.');
      await follower.next(left);
    }
  };

  const stateAt = async (index: FilledIndex, revision = index.state.revision): Promise<StateWithLists> => {
    const { state, references } = index;
    if (revision === state.revision) return { state, references };
    const key = `${state.datasetId} ${revision}`;
    const cached = earlier.get(key);
    if (cached) return cached;
    const made = {
      state: await getState(database, revision),
      references: await referencesAt(database, revision, references),
    };
    earlier.set(key, made);
    return made;
  };

  const ask: ReadIndex['ask'] = async ({ atLeast, revision, once = false }, answer) => {
    const index = await usable(revision === undefined ? atLeast : { revision });
    const { state, references } = await stateAt(index, revision);
    try {
      return { state, answer: await answer({ ...index, state, references, once }) };
    } catch (err) {
      if (err instanceof ServiceError) throw err;
      log.error({ err }, 'read index failed, filling it again');
      follower.refill(index);
      throw new ServiceError('UNAVAILABLE', 'The search index is being rebuilt. Retry in a moment.', { cause: err });
    }
  };

  return {
    state: async (atLeast) => (await usable(atLeast)).state,
    ask,
    find: async (question) => {
      const { state, answer } = await ask(question, (index) => findPage(index, question));
      return { state, ...answer };
    },
    findAll: async (filter, { sort = [], ...of } = {}) => {
      const { state, answer } = await ask(of, async (index) => {
        const rows = await matchingRows(index, filter);
        const sorted = sort.length === 0 ? rows : await sortedRows(index, rows, sort);
        return rowIdsOf(index.columns, sorted);
      });
      return { state, rowIds: answer };
    },
    featureRanges: async () => {
      const { state: now } = await usable();
      if (ranges?.state.datasetId === now.datasetId && ranges.state.revision === now.revision) return ranges;
      const { state, answer } = await ask({}, rangesOf);
      ranges = { state, ranges: answer };
      return ranges;
    },
    featuresOf: async (rows) => {
      const { columns } = await usable();
      return rows.map((row) => featuresAt(columns, row));
    },
    paperAt: async (doi, revision) => (await usable()).papers.valuesAt(doi, revision),
    papersOf: async (rows, revision) => (await ask({ revision }, (index) => papersAt(index, rows))).answer,
    dependency: follower.dependency,
    stop: () => follower.stop(),
  };
}

function requireSlot(columns: Columns, row: RowOfRecord): number {
  const slot = columns.slotOf(row);
  if (slot === undefined) {
    throw new ServiceError('UNAVAILABLE', 'This replica does not have the record yet. Retry in a moment.');
  }
  return slot;
}

async function papersAt(index: IndexAtState, rows: readonly RowOfRecord[]): Promise<PaperValues[]> {
  const { columns, papers, state } = index;
  const { values, valuesOf } = await categoryTable(index, 'doi');
  return rows.map((row) => {
    const [value = -1] = valuesOf[columns.terms.doi.codes[requireSlot(columns, row)] ?? 0] ?? [];
    const { year, journal } = papers.valuesAt(values[value] ?? '', state.revision) ?? {};
    return { year, journal };
  });
}

function featuresAt(columns: Columns, row: RowOfRecord): FeatureValues {
  const slot = requireSlot(columns, row);
  const features: FeatureValues = {};
  for (const feature of featureKeys) {
    const { codes, values } = columns.features[feature];
    const code = codes[slot] ?? 0;
    if (code >= FIRST_NUMBER) features[feature] = values[code] ?? NaN;
  }
  return features;
}

/** Returns the range of each feature that has values, as percentiles by nearest rank. */
async function rangesOf(index: IndexAtState): Promise<UsualRange[]> {
  const rows = await matchingRows(index, []);
  const ranges: UsualRange[] = [];
  for (const feature of featureKeys) {
    const distribution = await distributionOf(index.columns.features[feature], rows);
    const { count } = distribution;
    if (count === 0) continue;
    const positions = SHARES.map((share) => Math.max(0, Math.ceil(share * count) - 1));
    const [low = NaN, p1 = NaN, p99 = NaN, high = NaN] = numbersAt(distribution, positions);
    ranges.push({ feature, count, low, high, p1, p99 });
  }
  return ranges;
}
