import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@esd/service/errors';
import { failureLog } from '@esd/service/health/failure-log';
import type { Logger } from '@esd/service/health/log';
import { counter } from '@esd/service/health/metrics';
import type { Dependency } from '@esd/service/health/readiness';
import { retryForever } from '@esd/service/retry';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type DatasetState, findBodies, getHead, getState, newestBodies } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';

export interface BodyStore {
  /** Finds the JSON text (UTF-8) of rows, in the order of the ids. One statement reads all that are not cached. */
  find(datasetId: string, rowIds: readonly number[]): Promise<Buffer[]>;
  stop(): Promise<void>;
}

export interface BodyStoreOptions {
  database: Kysely<Tables>;
  /** Bodies are cached when this dependency is ready, because no read can succeed before. */
  index: Pick<Dependency, 'check'>;
  memoryMegabytes: number;
  log: Logger;
}

interface Cache {
  bodies: LRUCache<number, Buffer>;
  /** The newest state of the dataset from which bodies were cached. */
  seen: DatasetState;
  /** The revision up to which the log was read. */
  upTo: number;
  /** The last row of that revision. Later rows are not cached, because a restore could assign their ids to others. */
  lastRowId: number;
}

const POLL_MS = 1_000;
/** The memory that an entry takes in addition to its bytes. */
const ENTRY_BYTES = 300;

const reads = counter('esd_body_reads_total');

/** Opens the store. In the background, it caches the newest bodies that fit. If the dataset is replaced, it drops all of them. */
export function openBodyStore({ database, index, memoryMegabytes, log }: BodyStoreOptions): BodyStore {
  const stopping = new AbortController();
  const maxSize = Math.floor(memoryMegabytes * 1e6);
  let cache: Cache | undefined;

  const load = async (into: Cache, head: DatasetState): Promise<void> => {
    into.seen = head;
    let lastRowId = into.lastRowId;
    let before = Number.MAX_SAFE_INTEGER;
    let hasRoom = true;
    while (hasRoom && !stopping.signal.aborted) {
      const rows = await newestBodies(database, into.lastRowId, before, head.revision);
      const [newest] = rows;
      if (!newest) break;
      lastRowId = Math.max(lastRowId, newest.rowId);
      for (const { rowId, body } of rows) {
        const bytes = bytesOf(body);
        hasRoom &&= into.bodies.calculatedSize + sizeOf(bytes) <= maxSize;
        if (hasRoom) into.bodies.set(rowId, bytes);
        before = rowId;
      }
    }
    into.upTo = head.revision;
    into.lastRowId = lastRowId;
    log.debug({ revision: head.revision, bodies: into.bodies.size }, 'record bodies cached');
  };

  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const head = await getHead(database);
      if (!cache || !(await isPast(database, cache.seen, head))) {
        if (cache) log.info({ was: cache.seen, is: head }, 'dataset replaced, cached bodies dropped');
        const bodies = new LRUCache<number, Buffer>({ maxSize, sizeCalculation: sizeOf });
        cache = { bodies, seen: head, upTo: 0, lastRowId: 0 };
      }
      const isFilled = await index.check(stopping.signal).then(
        () => true,
        () => false,
      );
      if (isFilled && cache.upTo < head.revision) await load(cache, head);
      await sleep(POLL_MS, undefined, { signal: stopping.signal });
    }
  };
  const running = retryForever(follow, {
    signal: stopping.signal,
    onFailure: failureLog(log, 'body cache cannot follow the log, retrying'),
  }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });

  return {
    find: async (datasetId, rowIds) => {
      const into = cache?.seen.datasetId === datasetId ? cache : undefined;
      const cached = rowIds.map((rowId) => into?.bodies.get(rowId));
      const missing = rowIds.filter((_, at) => cached[at] === undefined);
      reads.inc({ source: 'memory' }, rowIds.length - missing.length);
      if (missing.length === 0) return cached.flatMap((body) => body ?? []);
      reads.inc({ source: 'postgres' }, missing.length);
      const read = new Map<number, Buffer>();
      for (const [at, body] of (await findBodies(database, missing)).entries()) {
        const rowId = missing[at] ?? 0;
        const bytes = bytesOf(body);
        read.set(rowId, bytes);
        if (into && rowId <= into.lastRowId) into.bodies.set(rowId, bytes);
      }
      return rowIds.flatMap((rowId, at) => cached[at] ?? read.get(rowId) ?? []);
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Encodes a body into separate memory, because a slice of Node's shared pool would retain the whole pool. */
function bytesOf(body: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  bytes.write(body);
  return bytes;
}

function sizeOf(body: Buffer): number {
  return body.length + ENTRY_BYTES;
}

/** Returns whether `seen` is the head of the dataset or one of its earlier states. */
async function isPast(database: Kysely<Tables>, seen: DatasetState, head: DatasetState): Promise<boolean> {
  if (seen.datasetId !== head.datasetId || seen.revision > head.revision) return false;
  try {
    const then = seen.revision === head.revision ? head : await getState(database, seen.revision);
    return then.committedAt?.getTime() === seen.committedAt?.getTime();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'VERSION_NOT_FOUND') return false;
    throw error;
  }
}
