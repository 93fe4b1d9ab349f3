import { listen } from '@esd/service/database/pg-listen';
import { failureLog } from '@esd/service/health/failure-log';
import type { Logger } from '@esd/service/health/log';
import type { Dependency } from '@esd/service/health/readiness';
import { gauge, onScrape } from '@esd/service/health/metrics';
import { retryForever } from '@esd/service/retry';
import { Wake } from '@esd/service/wake';
import type { Kysely } from 'kysely';
import { type DatasetState, getHead, REVISION_CHANNEL } from '../dataset-log/dataset-log.store.ts';
import { changedPapers } from '../reference/paper.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { Columns } from './columns.ts';
import { endedIndexRows, newTerms } from './index-row.store.ts';
import { type IndexAtState, openRowsCache } from './matching-rows.ts';
import { PaperHistory } from './paper-history.ts';
import { readRows } from './read-rows.ts';
import { refreshIndexRows } from './refresh-index-rows.ts';
import { openTermDictionary } from './term-dictionary.ts';

/** The index at the newest state that this replica knows. */
export type FilledIndex = Omit<IndexAtState, 'once'>;

export interface LogFollower {
  /** Returns the current index; undefined while it is being filled. */
  current(): FilledIndex | undefined;
  /** Checks the log immediately and waits for the next step, at most the given time. */
  next(milliseconds: number): Promise<void>;
  /** Discards a failed index and fills it again. */
  refill(failed: FilledIndex): void;
  dependency: Dependency;
  stop(): Promise<void>;
}

interface Options {
  database: Kysely<Tables>;
  databaseUrl: string;
  log: Logger;
}

const POLL_MS = 1_000;
/** Maximum time since the last check of the log; beyond it, the index is not ready. */
const STALE_MS = 10_000;

/** Fills the index from the log and follows the log, on NOTIFY and each second, until stopped. */
export function followLog({ database, databaseUrl, log }: Options): LogFollower {
  const stopping = new AbortController();
  const wake = new Wake();
  const waiting = new Set<() => void>();
  let filled: FilledIndex | undefined;
  let checkedAt = 0;

  const revision = gauge('esd_dataset_revision');
  const records = gauge('esd_dataset_records');
  onScrape('read index', () => {
    if (filled) revision.set({ source: 'index' }, filled.state.revision);
    else revision.remove({ source: 'index' });
    records.set(filled?.state.recordCount ?? 0);
  });

  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const head = await getHead(database);
      checkedAt = Date.now();
      const index = filled;
      if (index?.state.datasetId !== head.datasetId || index.state.revision > head.revision) {
        filled = undefined;
        filled = await fill(database, head);
        log.info({ revision: head.revision, records: head.recordCount }, 'read index filled');
      } else if (index.state.revision < head.revision) {
        try {
          const next = await advance(database, index, head);
          // The index may have failed during the step.
          if (filled === index) filled = next;
        } catch (error) {
          // Part of the step may be applied, so the index no longer matches any revision.
          filled = undefined;
          throw error;
        }
      }
      for (const step of [...waiting]) step();
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
    onFailure: failureLog(log, 'read index cannot follow the log, retrying'),
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
        if (!filled) return Promise.reject(new Error('the read index is being filled'));
        if (Date.now() - checkedAt > STALE_MS) return Promise.reject(new Error('the read index cannot follow the log'));
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

async function fill(database: Kysely<Tables>, head: DatasetState): Promise<FilledIndex> {
  await refreshIndexRows(database);
  const dictionary = openTermDictionary();
  dictionary.add(await newTerms(database, 0));
  const columns = new Columns(head.recordCount);
  for await (const rows of readRows(database, 0, head.revision)) await columns.append(rows);
  const references = await referencesAt(database, head.revision);
  const papers = new PaperHistory();
  papers.add(await changedPapers(database, 0, head.revision));
  return checked({ columns, dictionary, cache: openRowsCache(), state: head, references, papers });
}

/** Advances the index to a newer state. Readers see the previous state until the last step. */
async function advance(database: Kysely<Tables>, index: FilledIndex, head: DatasetState): Promise<FilledIndex> {
  const { columns, dictionary, papers, state } = index;
  await refreshIndexRows(database);
  dictionary.add(await newTerms(database, dictionary.lastId()));
  for await (const rows of readRows(database, state.revision, head.revision)) await columns.append(rows);
  for (const row of await endedIndexRows(database, state.revision, head.revision)) {
    columns.end({ rowId: row.row_id, recordId: row.record_id }, row.valid_to);
  }
  papers.add(await changedPapers(database, state.revision, head.revision));
  return checked({ ...index, state: head, references: await referencesAt(database, head.revision, index.references) });
}

/** Throws unless the dataset has as many records as there are valid rows, so that the service never returns a wrong count. */
function checked(index: FilledIndex): FilledIndex {
  const { revision, recordCount } = index.state;
  const { valid } = index.columns;
  if (valid !== recordCount) {
    throw new Error(`the read index has ${valid} of ${recordCount} records at revision ${revision}`);
  }
  return index;
}
