import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/log';
import type { Spool } from '@esd/service/spool';
import type { Tables } from '../tables.ts';
import { claimFile, dropLease, finishFile, renewLease } from './built-file.store.ts';
import type { FileStore, StoredFile } from './file-store.ts';

/** How a file is made: from what decides its bytes to a local file. */
export interface FileRecipe {
  /** Hash of all that decides the bytes. */
  key: string;
  format: string;
  /** Writes the file; ends when the signal aborts. */
  write: (path: string, signal: AbortSignal) => Promise<void>;
}

/** Files that are built once and kept in the store. */
export interface BuiltFiles {
  /**
   * The file, built first where nobody has built it: of all callers at once, in all copies of the service, one builds.
   * Throws UNAVAILABLE with the time after which to ask again when it takes longer than 10 s; the build goes on.
   */
  get(recipe: FileRecipe, signal: AbortSignal): Promise<StoredFile>;
  /** Ends the builds that run; they begin again at the next call. */
  stop(): Promise<void>;
}

const WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 200;
const RENEW_MS = 8_000;
const AGAIN_SECONDS = 5;
const AT_ONCE = 2;
const MOST_WAITING = 16;

/** The name of a built file in the store. */
export function builtFileObject({ key, format }: { key: string; format: string }): string {
  return `built/${key}.${format}`;
}

export function openBuiltFiles(database: Kysely<Tables>, store: FileStore, spool: Spool, log: Logger): BuiltFiles {
  const stopping = new AbortController();
  const running = new Map<string, Promise<StoredFile>>();
  const slots = openSlots(AT_ONCE);

  const build = async ({ key, format, write }: FileRecipe, leaseId: string): Promise<StoredFile> => {
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const renewing = setInterval(() => {
      // A failing database is not a lost lease: it lasts longer than this.
      renewLease(database, key, leaseId).then(
        (held) => {
          if (!held) lost.abort();
        },
        () => undefined,
      );
    }, RENEW_MS);
    try {
      const file = await slots.run(() => {
        signal.throwIfAborted();
        return spool.during(async (folder) => {
          const path = join(folder, `file.${format}`);
          const started = performance.now();
          await write(path, signal);
          signal.throwIfAborted();
          const stored = await store.put(builtFileObject({ key, format }), path);
          const seconds = (performance.now() - started) / 1000;
          log.info({ format, bytes: stored.bytes, seconds }, 'file built');
          return stored;
        });
      });
      await finishFile(database, key, leaseId, file);
      return file;
    } catch (error) {
      await dropLease(database, key, leaseId).catch(() => undefined);
      if (signal.aborted) throw stillBuilding();
      throw error;
    } finally {
      clearInterval(renewing);
    }
  };

  const getOrBuild = async (recipe: FileRecipe, signal: AbortSignal): Promise<StoredFile> => {
    for (;;) {
      signal.throwIfAborted();
      const started = running.get(recipe.key);
      if (started) return started;
      if (running.size >= MOST_WAITING) {
        throw new ServiceError(
          'UNAVAILABLE',
          'Too many files are being built; try again later.',
          undefined,
          AGAIN_SECONDS,
        );
      }
      const claim = await claimFile(database, recipe.key, recipe.format);
      if (claim && 'file' in claim) return claim.file;
      if (claim) {
        const building = build(recipe, claim.leaseId).finally(() => running.delete(recipe.key));
        // Those who wait for it may have gone.
        building.catch((err: unknown) => {
          if (!stopping.signal.aborted) log.warn({ err, format: recipe.format }, 'a file could not be built');
        });
        running.set(recipe.key, building);
        return building;
      }
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
    }
  };

  return {
    get: async (recipe, signal) => {
      const late = AbortSignal.timeout(WAIT_MS);
      const ended = AbortSignal.any([signal, late]);
      const aborted = new Promise<never>((_, reject) => {
        ended.addEventListener('abort', () => {
          reject(stillBuilding());
        });
      });
      try {
        return await Promise.race([getOrBuild(recipe, ended), aborted]);
      } catch (error) {
        if (ended.aborted && !(error instanceof ServiceError)) throw stillBuilding();
        throw error;
      }
    },
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(running.values());
    },
  };
}

function stillBuilding(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    `The file is being built; ask again in ${AGAIN_SECONDS} s.`,
    undefined,
    AGAIN_SECONDS,
  );
}

/** Lets so many run at once; the others wait for their turn. */
function openSlots(count: number): { run<Result>(work: () => Promise<Result>): Promise<Result> } {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    run: async (work) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
