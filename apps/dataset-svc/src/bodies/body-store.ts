import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/health/log';
import { metrics } from '@esd/service/health/metrics';
import { retryForever } from '@esd/service/retry';
import type { Kysely } from 'kysely';
import { Counter, Gauge } from 'prom-client';
import { type DatasetState, findBodies, getHead, getState, nextBodies } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { type BodyFolder, type SeenState, takeBodyFolder, temporaryFile } from './body-folder.ts';
import { type HeldBodies, holdBodies } from './held-bodies.ts';

/** The public bodies that a copy holds itself, derived from the log. */
export interface BodyStore {
  /**
   * Bodies of rows of a dataset's log, JSON text in UTF-8, in the order asked for; what this copy does not hold is read from
   * PostgreSQL. Rows never change, so that what is found fits any state. Throws what PostgreSQL throws.
   */
  find(datasetId: string, rowIds: readonly number[]): Promise<Buffer[]>;
  stop(): Promise<void>;
}

export interface BodyStoreOptions {
  database: Kysely<Tables>;
  /** Up to this size bodies are in memory. */
  memoryMegabytes: number;
  /** Up to this size they are on disk. */
  diskMegabytes: number;
  /** Where a folder of this process is made; without it, a file that goes with the process. */
  folder?: string | undefined;
  log: Logger;
}

/** Bodies, and how far they are. */
interface Held {
  bodies: HeldBodies;
  /** The revision up to which the log was read, NOTHING before. */
  upTo: number;
  /** No more can be stored. */
  full: boolean;
}

const POLL_MS = 1_000;
const NOTHING = -1;

const readBodies = new Counter({
  name: 'esd_bodies_read_total',
  help: 'Bodies of records that were read, by where they came from: memory, disk or postgres.',
  labelNames: ['from'],
  registers: [metrics],
});
const heldBytes = new Gauge({
  name: 'esd_bodies_held_bytes',
  help: 'Bytes of the bodies that this copy holds, by where: memory or disk.',
  labelNames: ['in'],
  registers: [metrics],
});
const damagedBodies = new Counter({
  name: 'esd_bodies_damaged_total',
  help: 'Bodies on disk that could not be read or were not what was written; PostgreSQL answered.',
  registers: [metrics],
});
const storeFailures = new Counter({
  name: 'esd_bodies_failures_total',
  help: 'How often bodies could not be stored on disk (full, unwritable, beyond its limit); PostgreSQL answers for them.',
  registers: [metrics],
});

/**
 * Opens the store and follows the log in the background: it reads what it lacks, then looks for more each second. What fails
 * with its disk is logged and counted; PostgreSQL answers then.
 */
export function openBodyStore(options: BodyStoreOptions): BodyStore {
  const { database, log, folder: parent } = options;
  const stopping = new AbortController();
  let folder: BodyFolder | undefined;
  let opened = false;
  /** What the last process left, until it is known whether it is of this dataset. */
  let stored: Held | undefined;
  let held: Held | undefined;

  const failed = (err: unknown, message: string): void => {
    storeFailures.inc();
    log.error({ err, folder: parent }, message);
  };
  const heldOptions = {
    memoryBytes: options.memoryMegabytes * 1e6,
    diskBytes: options.diskMegabytes * 1e6,
    createFile: async () => {
      if (parent === undefined) return temporaryFile();
      folder ??= await takeBodyFolder(parent);
      return folder.create();
    },
    onDamage: (err: unknown, bodies: number, first: boolean): void => {
      damagedBodies.inc(bodies);
      if (first) log.error({ err, folder: parent }, 'a body on disk is damaged: PostgreSQL answers for it');
    },
  };

  const openStored = async (path: string): Promise<void> => {
    try {
      folder = await takeBodyFolder(path);
      const found = await folder.takeStored();
      if (found && found.offsets.bytes > heldOptions.memoryBytes) {
        stored = { bodies: holdBodies(found.seen, heldOptions, found), upTo: NOTHING, full: false };
        return;
      }
      await found?.handle.close();
      await folder.clear();
    } catch (error) {
      failed(error, 'the folder for bodies cannot be used');
    }
  };
  /** The bodies of the dataset that there is: those held, those stored, or none yet. */
  const heldOf = async (head: DatasetState): Promise<Held> => {
    const before = held ?? stored;
    if (before && (await isOf(database, before.bodies.seen, head))) return before;
    held = stored = undefined;
    if (before) {
      log.info({ was: before.bodies.seen, is: head }, 'the dataset was replaced: its bodies are read anew');
      await before.bodies.close();
      await folder?.clear();
    }
    return { bodies: holdBodies(head, heldOptions), upTo: NOTHING, full: false };
  };

  const load = async (into: Held, head: DatasetState): Promise<void> => {
    const { bodies } = into;
    let next = nextBodies(database, bodies.offsets.lastRowId, head.revision);
    while (!stopping.signal.aborted) {
      const found = await next;
      const last = found?.rowIds.at(-1);
      if (!found || last === undefined) {
        into.upTo = head.revision;
        return;
      }
      next = nextBodies(database, last, head.revision);
      // Nobody waits for it where this ends before.
      next.catch(() => undefined);
      bodies.seen = head;
      try {
        await bodies.add(found);
      } catch (error) {
        into.full = true;
        failed(error, 'bodies cannot be stored: newer ones are read from PostgreSQL until the next start');
        return;
      }
      heldBytes.reset();
      heldBytes.set({ in: bodies.where }, bodies.offsets.bytes);
    }
  };

  const follow = async (): Promise<void> => {
    if (parent !== undefined && !opened) await openStored(parent);
    opened = true;
    while (!stopping.signal.aborted) {
      const head = await getHead(database);
      const current = await heldOf(head);
      held = current;
      if (!current.full && current.upTo < head.revision) {
        const isFirst = current.upTo === NOTHING;
        const before = current.bodies.offsets.bytes;
        const began = performance.now();
        await load(current, head);
        const { where, offsets } = current.bodies;
        const read = { revision: head.revision, bytes: offsets.bytes - before, ms: performance.now() - began };
        log[isFirst ? 'info' : 'debug']({ read, in: where, bytes: offsets.bytes }, 'bodies are held');
      }
      await sleep(POLL_MS, undefined, { signal: stopping.signal });
    }
  };
  const running = retryForever(follow, {
    signal: stopping.signal,
    onFailure: (err) => {
      log.warn({ err }, 'bodies cannot follow the log yet');
    },
  }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });

  const close = async ({ bodies }: Held): Promise<void> => {
    await bodies.close();
    if (bodies.where === 'disk' && bodies.sound) await folder?.save(bodies.offsets, bodies.seen);
  };
  return {
    find: async (datasetId, rowIds) => {
      const bodies = held?.bodies.seen.datasetId === datasetId ? held.bodies : undefined;
      const from = bodies?.where;
      const found = (await bodies?.read(rowIds)) ?? [];
      const missing = rowIds.filter((_, index) => found[index] === undefined);
      if (from !== undefined) readBodies.inc({ from }, rowIds.length - missing.length);
      if (missing.length > 0) readBodies.inc({ from: 'postgres' }, missing.length);
      const rest = (await findBodies(database, missing)).values();
      return rowIds.map((_, index) => found[index] ?? Buffer.from(rest.next().value ?? ''));
    },
    stop: async () => {
      stopping.abort();
      await running;
      try {
        const last = held ?? stored;
        if (last) await close(last);
      } catch (error) {
        failed(error, 'the bodies cannot be kept for the next start');
      }
      folder?.release();
    },
  };
}

/** Whether a state that was seen belongs to the past of the dataset as it is now. */
async function isOf(database: Kysely<Tables>, seen: SeenState, head: DatasetState): Promise<boolean> {
  if (seen.datasetId !== head.datasetId || seen.revision > head.revision) return false;
  try {
    const then =
      seen.revision === head.revision ? head : seen.revision === 0 ? seen : await getState(database, seen.revision);
    return then.committedAt?.getTime() === seen.committedAt?.getTime();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'VERSION_NOT_FOUND') return false;
    throw error;
  }
}
