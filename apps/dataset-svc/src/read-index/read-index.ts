import { type Filter, filterKey } from '@esd/record/filter/filter';
import type { References } from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { listen } from '@esd/service/database/pg-listen';
import type { Dependency } from '@esd/service/health/readiness';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
import type { Kysely } from 'kysely';
import { type DatasetState, getHead, getState, REVISION_CHANNEL } from '../dataset-log/dataset-log.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { type ColumnarIndex, type FeatureRange, openColumnarIndex, type Where } from './columnar-index.ts';
import { filterWhere } from './filter-where.ts';
import { endedIndexRows, newIndexRows, newTerms } from './index-row.store.ts';
import { type LiveOrder, openLiveOrder } from './live-order.ts';
import { openTermDictionary, type TermDictionary } from './term-dictionary.ts';

/** Which records match, at one fixed state of the dataset. */
export interface Found {
  state: DatasetState;
  total: number;
  /** Ids of rows of record_revision, by ascending record id. */
  rowIds: number[];
}

/** A state that a reader has seen. */
export type StateSeen = Pick<DatasetState, 'datasetId' | 'revision'>;

export interface Question {
  filter: Filter;
  skip: number;
  limit: number;
  /** The answer has to be of this state or a newer one. */
  atLeast?: StateSeen | undefined;
  /** The dataset revision to be read; absent: the newest. */
  revision?: number | undefined;
}

export interface ReadIndex {
  /** The newest state this copy knows, after waiting a little for `atLeast`. Throws UNAVAILABLE when it stays behind. */
  state(atLeast?: StateSeen): Promise<DatasetState>;
  /** A page of the newest state. Throws UNAVAILABLE when the index is not filled, stays behind, or fails. */
  find(question: Question): Promise<Found>;
  /** All rows that match at the newest state, or at a dataset revision up to it. */
  findAll(
    filter: Filter,
    of?: Pick<Question, 'revision' | 'atLeast'>,
  ): Promise<{ state: DatasetState; rowIds: Int32Array }>;
  /**
   * Where the values of the dataset lie, of a state at most a minute or a hundredth of its records behind the newest:
   * looking at every value again for each approval would cost more than it tells.
   */
  featureRanges(): Promise<{ state: DatasetState; ranges: FeatureRange[] }>;
  /** Up when it is filled and follows the log. */
  dependency: Dependency;
  stop(): Promise<void>;
}

interface Options {
  database: Kysely<Tables>;
  databaseUrl: string;
  memoryLimit: string;
  threads: number;
  log: Logger;
}

/** All that is known at the revision up to which the log was read. */
interface Filled {
  columns: ColumnarIndex;
  live: LiveOrder;
  dictionary: TermDictionary;
  state: DatasetState;
  references: References;
}

/** A state of the dataset with the lists that were valid then. */
interface EarlierState {
  state: DatasetState;
  references: References;
}

const POLL_MS = 1_000;
const WAIT_MS = 200;
/** How far behind its last look at the log an index may be before it calls itself not ready. */
const STALE_MS = 10_000;
/** From this place on, a page costs less as a slice of all that match. */
const DEEP = 20_000;
const RANGES_MS = 60_000;
const RANGES_GROWTH = 0.01;
const KEPT_BYTES = 64 * 1024 * 1024;
const KEPT_STATES = 32;

/**
 * Opens the index over the log: DuckDB in memory, filled from PostgreSQL and following it by NOTIFY and each second. When
 * it fails (out of memory, say) it is thrown away and filled again; until then it answers UNAVAILABLE, never wrong.
 */
export function openReadIndex(options: Options): ReadIndex {
  const { database, log } = options;
  const stopping = new AbortController();
  const wake = new Wake();
  const followed = new Set<() => void>();
  const matches = rememberMatches();
  const earlier = new Map<string, EarlierState>();
  const asked = new Map<string, Promise<Int32Array>>();
  let filled: Filled | undefined;
  let lookedAt = 0;
  let ranges: { state: DatasetState; madeAt: number; ranges: FeatureRange[] } | undefined;

  const fail = (err: unknown): ServiceError => {
    if (err instanceof ServiceError) return err;
    log.error({ err }, 'the read index failed and is filled again');
    filled = undefined;
    wake.now();
    return new ServiceError('UNAVAILABLE', 'The search index is being filled; try again.', err);
  };
  const usable = async (atLeast?: Partial<StateSeen>): Promise<Filled> => {
    const { datasetId, revision = 0 } = atLeast ?? {};
    const until = Date.now() + WAIT_MS;
    for (;;) {
      // What was seen of another dataset, one that was replaced, says nothing.
      const stranger = datasetId !== undefined && filled !== undefined && filled.state.datasetId !== datasetId;
      if (filled && (stranger || filled.state.revision >= revision)) return filled;
      const left = until - Date.now();
      if (left <= 0) throw new ServiceError('UNAVAILABLE', 'This copy is behind the dataset; try again.');
      wake.now();
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          followed.delete(done);
          resolve();
        };
        const timer = setTimeout(done, left);
        followed.add(done);
      });
    }
  };
  const rowsOf = async (index: Filled, where: Where, filter: Filter, revision: number): Promise<Int32Array> => {
    const key = `${index.state.datasetId} ${revision} ${filterKey(filter)}`;
    const known = matches.get(key);
    if (known) return known;
    const running = asked.get(key);
    if (running) return running;
    const rows = index.columns.all(where).finally(() => asked.delete(key));
    asked.set(key, rows);
    matches.set(key, await rows);
    return rows;
  };

  const stateAt = async (index: Filled, revision = index.state.revision): Promise<EarlierState> => {
    if (revision === index.state.revision) return { state: index.state, references: index.references };
    const key = `${index.state.datasetId} ${revision}`;
    const known = earlier.get(key);
    if (known) return known;
    const state = await getState(database, revision);
    const made = { state, references: await referencesAt(database, revision, index.references) };
    const [oldest] = earlier.keys();
    if (oldest !== undefined && earlier.size >= KEPT_STATES) earlier.delete(oldest);
    earlier.set(key, made);
    return made;
  };

  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const head = await getHead(database);
      lookedAt = Date.now();
      const index = filled;
      if (index?.state.datasetId !== head.datasetId || index.state.revision > head.revision) {
        filled = undefined;
        filled = await fill(options, head);
        index?.columns.close();
        log.info({ revision: head.revision, records: head.recordCount }, 'the read index is filled');
      } else if (index.state.revision < head.revision) {
        try {
          await advance(database, index, head);
        } catch (error) {
          // A part of the step may be in already, so that the index is of no revision any more.
          filled = undefined;
          index.columns.close();
          throw error;
        }
      }
      if (filled) for (const tell of [...followed]) tell();
      await wake.wait(POLL_MS, stopping.signal);
    }
  };
  const stopListening = listen(
    options.databaseUrl,
    REVISION_CHANNEL,
    () => {
      wake.now();
    },
    log,
  );
  const running = retryForever(follow, {
    signal: stopping.signal,
    onFailure: (err) => {
      log.warn({ err }, 'the read index cannot follow the log yet');
    },
  }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });

  return {
    state: async (atLeast) => (await usable(atLeast)).state,
    find: async ({ filter, skip, limit, atLeast, revision }) => {
      const index = await usable(revision === undefined ? atLeast : { revision });
      const { state, references } = await stateAt(index, revision);
      if (filter.length === 0 && state.revision === index.state.revision) {
        return { state, total: index.live.size, rowIds: index.live.slice(skip, limit) };
      }
      try {
        const where = filterWhere(filter, state.revision, index.dictionary, references);
        if (!where) return { state, total: 0, rowIds: [] };
        // A state that is not the newest is mostly a release, of which many pages are read.
        if (skip >= DEEP || filter.length === 0) {
          const rows = await rowsOf(index, where, filter, state.revision);
          return { state, total: rows.length, rowIds: [...rows.subarray(skip, skip + limit)] };
        }
        const [total, rowIds] = await Promise.all([index.columns.count(where), index.columns.page(where, skip, limit)]);
        return { state, total, rowIds };
      } catch (error) {
        throw fail(error);
      }
    },
    findAll: async (filter, { revision, atLeast } = {}) => {
      const index = await usable(revision === undefined ? atLeast : { revision });
      const { state, references } = await stateAt(index, revision);
      if (filter.length === 0 && state.revision === index.state.revision) return { state, rowIds: index.live.all() };
      try {
        const where = filterWhere(filter, state.revision, index.dictionary, references);
        return { state, rowIds: where ? await rowsOf(index, where, filter, state.revision) : new Int32Array() };
      } catch (error) {
        throw fail(error);
      }
    },
    featureRanges: async () => {
      const index = await usable();
      const { state } = index;
      if (ranges && areRecent(ranges, state)) return ranges;
      try {
        const where = filterWhere([], state.revision, index.dictionary, index.references);
        ranges = { state, madeAt: Date.now(), ranges: where ? await index.columns.ranges(where) : [] };
        return ranges;
      } catch (error) {
        throw fail(error);
      }
    },
    dependency: {
      name: 'read-index',
      needed: true,
      check: () => {
        if (!filled) return Promise.reject(new Error('it is being filled'));
        if (Date.now() - lookedAt > STALE_MS) return Promise.reject(new Error('it cannot follow the log'));
        return Promise.resolve();
      },
    },
    stop: async () => {
      stopping.abort();
      await stopListening();
      await running;
      filled?.columns.close();
    },
  };
}

function areRecent(held: { state: DatasetState; madeAt: number }, now: DatasetState): boolean {
  if (held.state.datasetId !== now.datasetId) return false;
  if (held.state.revision === now.revision) return true;
  const grown = Math.abs(now.recordCount - held.state.recordCount);
  return Date.now() - held.madeAt < RANGES_MS && grown <= RANGES_GROWTH * held.state.recordCount;
}

async function fill({ database, memoryLimit, threads }: Options, head: DatasetState): Promise<Filled> {
  const columns = await openColumnarIndex(memoryLimit, threads);
  const live = openLiveOrder();
  const dictionary = openTermDictionary();
  const references = await referencesAt(database, head.revision);
  const index = { columns, live, dictionary, references, state: { ...head, revision: 0, recordCount: 0 } };
  await advance(database, index, head);
  return index;
}

/** Reads the log on to a newer state. Readers see the index at the state it had until the last step. */
async function advance(database: Kysely<Tables>, index: Filled, head: DatasetState): Promise<void> {
  const { columns, dictionary, state } = index;
  dictionary.add(await newTerms(database, dictionary.lastId()));
  const born: [recordId: number, rowId: number][] = [];
  for await (const rows of newIndexRows(database, state.revision, head.revision)) {
    await columns.append(rows);
    for (const row of rows) {
      if (row.valid_to === null || row.valid_to > head.revision) born.push([row.record_id, row.row_id]);
    }
  }
  await columns.end(await endedIndexRows(database, state.revision, head.revision));
  const references = await referencesAt(database, head.revision, index.references);
  // Nothing waits from here on, so that state, order and lists change together.
  for (const [recordId, rowId] of born) index.live.set(recordId, rowId);
  index.references = references;
  index.state = head;
}

/** All rows that matched at a revision, for the pages that follow; those not used for longest go when they fill too much. */
function rememberMatches() {
  const kept = new Map<string, Int32Array>();
  let bytes = 0;
  return {
    get: (key: string): Int32Array | undefined => {
      const rows = kept.get(key);
      if (!rows) return undefined;
      kept.delete(key);
      kept.set(key, rows);
      return rows;
    },
    set: (key: string, rows: Int32Array): void => {
      bytes += rows.byteLength - (kept.get(key)?.byteLength ?? 0);
      kept.set(key, rows);
      for (const [oldest, held] of kept) {
        if (bytes <= KEPT_BYTES || oldest === key) break;
        kept.delete(oldest);
        bytes -= held.byteLength;
      }
    },
  };
}
