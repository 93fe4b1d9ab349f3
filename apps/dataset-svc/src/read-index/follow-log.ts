import type { References } from '@esd/record/reference/reference';
import { listen } from '@esd/service/database/pg-listen';
import type { Logger } from '@esd/service/health/log';
import type { Dependency } from '@esd/service/health/readiness';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
import type { Kysely } from 'kysely';
import { type DatasetState, getHead, REVISION_CHANNEL } from '../dataset-log/dataset-log.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { ColumnIndex, type ColumnLimits } from './columns/column-index.ts';
import { type RowColumns, toColumns } from './columns/row-columns.ts';
import { selectRows } from './columns/figures.ts';
import { copyIndexRows } from './copy-index-rows.ts';
import { refreshIndexRows } from './refresh-index-rows.ts';
import { endedIndexRows, newIndexRows, newTerms } from './index-row.store.ts';
import { openTermDictionary, type TermDictionary } from './term-dictionary.ts';

/** All that is known at the revision up to which the log was read. */
export interface Filled {
  readonly columns: ColumnIndex;
  readonly dictionary: TermDictionary;
  readonly state: DatasetState;
  readonly references: References;
}

export interface LogFollower {
  /** What was read last; undefined while it is filled for the first time, or again. */
  current(): Filled | undefined;
  /** Looks at the log at once and waits for a step, at most so many milliseconds. */
  next(milliseconds: number): Promise<void>;
  /** Throws away what failed and reads the log anew. */
  refill(failed: Filled): void;
  /** Up when it is filled and follows the log. */
  dependency: Dependency;
  stop(): Promise<void>;
}

interface Options {
  database: Kysely<Tables>;
  databaseUrl: string;
  log: Logger;
  limits?: ColumnLimits;
}

const POLL_MS = 1_000;
/** How far behind its last look at the log an index may be before it calls itself not ready. */
const STALE_MS = 10_000;

/** Fills the index from the log and follows it by NOTIFY and each second, until it is stopped. */
export function followLog({ database, databaseUrl, log, limits }: Options): LogFollower {
  const stopping = new AbortController();
  const wake = new Wake();
  const waiting = new Set<() => void>();
  let filled: Filled | undefined;
  let lookedAt = 0;

  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const head = await getHead(database);
      lookedAt = Date.now();
      const index = filled;
      if (index?.state.datasetId !== head.datasetId || index.state.revision > head.revision) {
        filled = undefined;
        filled = await fill(database, databaseUrl, head, limits);
        log.info({ revision: head.revision, records: head.recordCount }, 'the read index is filled');
      } else if (index.state.revision < head.revision) {
        try {
          const next = await advance(database, index, head);
          // It may have failed meanwhile.
          if (filled === index) filled = next;
        } catch (error) {
          // A part of the step may be in already, so that the index is of no revision any more.
          filled = undefined;
          throw error;
        }
      }
      for (const step of [...waiting]) step();
      filled?.columns.mergeTail().catch((err: unknown) => {
        log.error({ err }, 'the tail of the read index cannot be merged');
      });
      if (filled) await wake.wait(POLL_MS, stopping.signal);
    }
  };
  const stopListening = listen(
    databaseUrl,
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
    current: () => filled,
    next: async (milliseconds) => {
      wake.now();
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        waiting.add(done);
      });
    },
    refill: (failed) => {
      if (filled?.columns === failed.columns) filled = undefined;
      wake.now();
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
    },
  };
}

async function fill(
  database: Kysely<Tables>,
  databaseUrl: string,
  head: DatasetState,
  limits?: ColumnLimits,
): Promise<Filled> {
  await refreshIndexRows(database);
  const dictionary = openTermDictionary();
  dictionary.add(await newTerms(database, 0));
  const columns = await ColumnIndex.build(copyIndexRows(database, databaseUrl, head.revision), limits);
  return checked({ columns, dictionary, state: head, references: await referencesAt(database, head.revision) });
}

/** Reads the log on to a newer state. Readers see the index at the state it had until the last step. */
async function advance(database: Kysely<Tables>, index: Filled, head: DatasetState): Promise<Filled> {
  const { columns, dictionary, state } = index;
  await refreshIndexRows(database);
  dictionary.add(await newTerms(database, dictionary.lastId()));
  for await (const rows of rowsAfter(database, state.revision, head.revision)) {
    columns.append(rows);
    await columns.mergeTail();
  }
  const ended = await endedIndexRows(database, state.revision, head.revision);
  columns.end(ended.map((row) => ({ rowId: row.row_id, recordId: row.record_id, validTo: row.valid_to })));
  return checked({ ...index, state: head, references: await referencesAt(database, head.revision, index.references) });
}

/** Throws unless as many rows are valid as the dataset has records: a wrong count is never answered. */
async function checked(index: Filled): Promise<Filled> {
  const { revision, recordCount } = index.state;
  const { total } = await selectRows(index.columns.view(revision), []);
  if (total !== recordCount) {
    throw new Error(`the read index has ${total} of ${recordCount} records at revision ${revision}`);
  }
  return index;
}

async function* rowsAfter(database: Kysely<Tables>, after: number, upTo: number): AsyncGenerator<RowColumns> {
  for await (const rows of newIndexRows(database, after, upTo)) {
    // What has ended by now may not have at that revision.
    yield toColumns(
      rows.map((row) => (row.valid_to !== null && row.valid_to > upTo ? { ...row, valid_to: null } : row)),
    );
  }
}
