import { LRUCache } from 'lru-cache';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Filter } from '@esd/record/filter/filter';
import type { FeatureValues } from '@esd/record/filter/feature-values';
import type { Feature } from '@esd/record/filter/filter-keys';
import type { SortKey } from '@esd/record/filter/sort-keys';
import type { References } from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import type { Dependency } from '@esd/service/health/readiness';
import type { Kysely } from 'kysely';
import { type DatasetState, getState } from '../dataset-log/dataset-log.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { columnConditions } from './column-conditions.ts';
import { columnKeys } from './column-keys.ts';
import type { ColumnLimits, ColumnView } from './columns/column-index.ts';
import { selectRows, valuesAt, valuesOf } from './columns/figures.ts';
import { findRow, type RowOfRecord } from './columns/find-row.ts';
import { findAll, findPage, type FoundPage } from './columns/search.ts';
import { findAllSorted, findSortedPage } from './columns/sorted.ts';
import { type Filled, followLog } from './follow-log.ts';
import type { TermDictionary } from './term-dictionary.ts';
import { featureKeys } from './index-row.table.ts';

/** Which records match, at one fixed state of the dataset. */
export interface Found {
  state: DatasetState;
  total: number;
  /** Ids of rows of record_revision, in the order asked for. */
  rowIds: number[];
  /** With `after`: how many of those that match have at most that id. */
  before: number;
  /** With `after`: the id after which the next page begins; undefined where there is none. */
  nextAfter: number | undefined;
}

export interface Question {
  filter: Filter;
  /** Absent or empty: by ascending record id, which also tells apart what is equal by all keys. */
  sort?: readonly SortKey[] | undefined;
  skip: number;
  limit: number;
  /** The page is of records with a higher id, `skip` from the first of them on; not with `sort`. */
  after?: number | undefined;
  /** What a reader has seen: the answer has to be of this state or a newer one. */
  atLeast?: DatasetRevision | undefined;
  /** The dataset revision to be read; absent: the newest. */
  revision?: number | undefined;
}

export interface ReadIndex {
  /** The newest state this copy knows, after waiting a little for `atLeast`. Throws UNAVAILABLE when it stays behind. */
  state(atLeast?: DatasetRevision): Promise<DatasetState>;
  /** A page of the newest state. Throws UNAVAILABLE when the index is not filled, stays behind, or fails. */
  find(question: Question): Promise<Found>;
  /** All rows that match at the newest state, or at a dataset revision up to it. */
  findAll(
    filter: Filter,
    of?: Pick<Question, 'sort' | 'revision' | 'atLeast'>,
  ): Promise<{ state: DatasetState; rowIds: Int32Array }>;
  /**
   * Where the values of the dataset lie, of a state at most a minute or a hundredth of its records behind the newest:
   * looking at every value again for each approval would cost more than it tells.
   */
  featureRanges(): Promise<{ state: DatasetState; ranges: UsualRange[] }>;
  /**
   * What somebody makes of the index at the newest state, or at a dataset revision up to it. Throws UNAVAILABLE as `find` does, and
   * any ServiceError of `answer`.
   */
  ask<Answer>(
    of: Pick<Question, 'revision' | 'atLeast'>,
    answer: (reading: Reading) => Promise<Answer>,
  ): Promise<{ state: DatasetState; answer: Answer }>;
  /**
   * The features of rows that it has found, in their order: as they were read with the lists of each row's publication. Throws
   * UNAVAILABLE while it is filled.
   */
  featuresOf(rows: readonly RowOfRecord[]): Promise<FeatureValues[]>;
  /** Up when it is filled and follows the log. */
  dependency: Dependency;
  stop(): Promise<void>;
}

/** The index at one state, with the lists that were valid then. */
export interface Reading {
  readonly state: DatasetState;
  readonly references: References;
  readonly dictionary: TermDictionary;
  readonly view: ColumnView;
}

/** Where the values of a feature mostly lie, in the unit of its filter. */
export interface UsualRange {
  feature: Feature;
  /** How many records have a value. */
  count: number;
  /** The 0.1 percentile. */
  low: number;
  /** The 99.9 percentile. */
  high: number;
}

interface Options {
  database: Kysely<Tables>;
  databaseUrl: string;
  log: Logger;
  limits?: ColumnLimits;
}

/** A state of the dataset with the lists that were valid then. */
interface StateWithLists {
  state: DatasetState;
  references: References;
}

const WAIT_MS = 200;
const RANGES_MS = 60_000;
const RANGES_GROWTH = 0.01;
const MAX_STATES_CACHED = 32;
const NO_PAGE: FoundPage = { total: 0, rowIds: [], before: 0, lastRecordId: undefined };
const LOW = 0.001;
const HIGH = 0.999;

/**
 * Opens the index over the log: columns in memory, filled from PostgreSQL and following it. When it fails it is thrown away and
 * filled again; until then it answers UNAVAILABLE, never wrong.
 */
export function openReadIndex(options: Options): ReadIndex {
  const { database, log } = options;
  const follower = followLog(options);
  const earlier = new LRUCache<string, StateWithLists>({ max: MAX_STATES_CACHED });
  let ranges: { state: DatasetState; madeAt: number; ranges: UsualRange[] } | undefined;

  const usable = async (atLeast?: Partial<DatasetRevision>): Promise<Filled> => {
    const { datasetId, revision = 0 } = atLeast ?? {};
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const index = follower.current();
      // What was seen of another dataset, one that was replaced, says nothing.
      const isOther = datasetId !== undefined && index !== undefined && index.state.datasetId !== datasetId;
      if (index && (isOther || index.state.revision >= revision)) return index;
      const left = until - Date.now();
      if (left <= 0) throw new ServiceError('UNAVAILABLE', 'This copy is behind the dataset; try again.');
      await follower.next(left);
    }
  };

  const stateAt = async (index: Filled, revision = index.state.revision): Promise<StateWithLists> => {
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

  const ask: ReadIndex['ask'] = async ({ atLeast, revision }, answer) => {
    const index = await usable(revision === undefined ? atLeast : { revision });
    const { state, references } = await stateAt(index, revision);
    try {
      const view = index.columns.view(state.revision);
      return { state, answer: await answer({ state, references, dictionary: index.dictionary, view }) };
    } catch (err) {
      if (err instanceof ServiceError) throw err;
      log.error({ err }, 'the read index failed and is filled again');
      follower.refill(index);
      throw new ServiceError('UNAVAILABLE', 'The search index is being filled; try again.', err);
    }
  };

  return {
    state: async (atLeast) => (await usable(atLeast)).state,
    ask,
    find: async (question) => {
      const { skip, limit, after } = question;
      const { state, answer } = await ask(question, (reading) => pageAt(reading, question));
      const { lastRecordId, ...page } = answer;
      const hasNext = after !== undefined && page.before + skip + limit < page.total;
      return { state, ...page, nextAfter: hasNext ? lastRecordId : undefined };
    },
    findAll: async (filter, { sort = [], ...of } = {}) => {
      const { state, answer } = await ask(of, async (reading) => {
        const conditions = columnConditions(filter, reading);
        if (!conditions) return new Int32Array();
        if (sort.length === 0) return findAll(reading.view, conditions);
        return findAllSorted(reading.view, conditions, await columnKeys(sort, reading.dictionary));
      });
      return { state, rowIds: answer };
    },
    featureRanges: async () => {
      const { state: now } = await usable();
      if (ranges && areRecent(ranges, now)) return ranges;
      const { state, answer } = await ask({}, ({ view }) => rangesOf(view));
      ranges = { state, madeAt: Date.now(), ranges: answer };
      return ranges;
    },
    featuresOf: async (rows) => {
      const { columns, state } = await usable();
      const view = columns.view(state.revision);
      return rows.map((row) => featuresAt(view, row));
    },
    dependency: follower.dependency,
    stop: () => follower.stop(),
  };
}

/** A page at the state of a reading. Of a sorted one `before` and `lastRecordId` say nothing. */
export async function pageAt(
  reading: Reading,
  { filter, sort = [], skip, limit, after }: Omit<Question, 'revision' | 'atLeast'>,
): Promise<FoundPage> {
  const conditions = columnConditions(filter, reading);
  if (!conditions) return NO_PAGE;
  if (sort.length === 0) return findPage(reading.view, conditions, skip, limit, after);
  const keys = await columnKeys(sort, reading.dictionary);
  return { ...NO_PAGE, ...(await findSortedPage(reading.view, conditions, keys, skip, limit)) };
}

function featuresAt(view: ColumnView, row: RowOfRecord): FeatureValues {
  const found = findRow(view, row);
  if (!found) throw new ServiceError('UNAVAILABLE', 'This copy does not know the record yet; try again.');
  const values: FeatureValues = {};
  for (const [at, feature] of featureKeys.entries()) {
    const value = found.rows.features[at]?.[found.slot] ?? NaN;
    if (!Number.isNaN(value)) values[feature] = value;
  }
  return values;
}

/** Of each feature with a value: how many rows have one, and two of the values that occur. */
async function rangesOf(view: ColumnView): Promise<UsualRange[]> {
  const selection = await selectRows(view, []);
  const ranges: UsualRange[] = [];
  for (const [at, feature] of featureKeys.entries()) {
    const values = await valuesOf(selection, at);
    const count = values.length;
    if (count === 0) continue;
    const places = [LOW, HIGH].map((share) => Math.max(0, Math.ceil(share * count) - 1));
    const [low = NaN, high = NaN] = await valuesAt(values, places);
    ranges.push({ feature, count, low, high });
  }
  return ranges;
}

function areRecent(held: { state: DatasetState; madeAt: number }, now: DatasetState): boolean {
  if (held.state.datasetId !== now.datasetId) return false;
  if (held.state.revision === now.revision) return true;
  const grown = Math.abs(now.recordCount - held.state.recordCount);
  return Date.now() - held.madeAt < RANGES_MS && grown <= RANGES_GROWTH * held.state.recordCount;
}
