import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ClientKey } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { fairQueue } from '@esd/background/fair-queue';
import type { Logger } from '@esd/service/health/log';
import type { FileHash } from '@esd/object-store/file-hash';
import type { ObjectStore } from '@esd/object-store/object-store';
import { measuredBuild } from './measured-build.ts';
import type { TempStorage } from '@esd/service/http/temp-storage';
import type { Tables } from '../tables.ts';
import { claimFile, dropLease, findFile, finishFile, renewLease } from './built-file.store.ts';
import type { StoredFile } from './stored-file.ts';
import { withLease } from './lease.ts';

export interface FileRecipe {
  /** The hash of everything that determines the bytes. */
  key: string;
  format: string;
  mediaType: string;
  /** The name of the object of a file of a release. By default, the object is deleted when unused. */
  objectKey?: string;
  /** Writes the file. Stops when the signal aborts. */
  write: (path: string, signal: AbortSignal) => Promise<FileHash>;
}

export interface BuiltFiles {
  /**
   * Returns the file, and builds it if it is missing. Concurrent calls in all replicas share one build, which starts
   * when it is the turn of any of their clients. Throws UNAVAILABLE with Retry-After after 10 s, while the build
   * continues. Throws RATE_LIMITED if the builds of the client exceed its share of the queue.
   */
  get(recipe: FileRecipe, client: ClientKey, signal: AbortSignal): Promise<StoredFile>;
  /** Aborts the running builds. The next request for a file, at any replica, starts its build again. */
  stop(): Promise<void>;
}

const WAIT_MS = 10_000;
const POLL_MS = 200;
const RENEW_MS = 8_000;
const RETRY_SECONDS = 5;

export function builtFileObject({
  key,
  format,
  objectKey = `built/${key}.${format}`,
}: Pick<FileRecipe, 'key' | 'format' | 'objectKey'>): string {
  return objectKey;
}

interface BuildStores {
  database: Kysely<Tables>;
  store: ObjectStore;
  tempStorage: TempStorage;
  log: Logger;
}

interface WantedFile {
  /** The clients whose turn may start the build. */
  clients: Set<ClientKey>;
  /** Aborts when the build starts, so that the other clients leave the queue. */
  begun: AbortController;
  /** Resolves to undefined if another replica builds the file. */
  result: PromiseWithResolvers<StoredFile | undefined>;
}

/** Returns the built files. Clients take turns; calls for the same file share one build, and wait for at most `waitMs`. */
export function openBuiltFiles(stores: BuildStores, waitMs = WAIT_MS): BuiltFiles {
  const stopping = new AbortController();
  const wanted = new Map<string, WantedFile>();
  const queue = fairQueue({ queue: 'exports' });

  const waitForTurn = async (recipe: FileRecipe, client: ClientKey, one: WantedFile): Promise<void> => {
    const { clients, begun, result } = one;
    clients.add(client);
    try {
      await queue.run({ client, signal: begun.signal }, async () => {
        begun.abort();
        await claimAndBuild(stores, recipe, stopping.signal).then(result.resolve, result.reject);
      });
    } catch (error) {
      clients.delete(client);
      // Otherwise, the turn of another client starts the build.
      if (!begun.signal.aborted && clients.size === 0) result.reject(error);
    }
  };

  /** Builds a file at the first turn of any client that has requested it. */
  const want = (recipe: FileRecipe, client: ClientKey): Promise<StoredFile | undefined> => {
    let one = wanted.get(recipe.key);
    if (!one) {
      one = { clients: new Set(), begun: new AbortController(), result: Promise.withResolvers() };
      wanted.set(recipe.key, one);
      const forget = (): void => {
        wanted.delete(recipe.key);
      };
      // Also handles a rejection, because all callers may have left.
      one.result.promise.then(forget, forget);
    }
    if (!one.begun.signal.aborted && !one.clients.has(client)) void waitForTurn(recipe, client, one);
    return one.result.promise;
  };

  const getOrBuild = async (recipe: FileRecipe, client: ClientKey, signal: AbortSignal): Promise<StoredFile> => {
    for (;;) {
      signal.throwIfAborted();
      const found = wanted.has(recipe.key) ? undefined : await findFile(stores.database, recipe.key);
      const file = found === 'being built' ? undefined : (found ?? (await want(recipe, client)));
      if (file) return file;
      await sleep(POLL_MS, undefined, { signal });
    }
  };

  return {
    get: async (recipe, client, signal) => {
      const late = AbortSignal.timeout(waitMs);
      const ended = AbortSignal.any([signal, late]);
      const aborted = new Promise<never>((_, reject) => {
        ended.addEventListener('abort', () => {
          reject(stillBuilding());
        });
      });
      try {
        return await Promise.race([getOrBuild(recipe, client, ended), aborted]);
      } catch (error) {
        if (ended.aborted && !(error instanceof ServiceError)) throw stillBuilding();
        throw error;
      }
    },
    stop: async () => {
      stopping.abort();
      await Promise.allSettled([...wanted.values()].map(({ result }) => result.promise));
    },
  };
}

/**
 * Returns undefined while another replica builds the file. Throws UNAVAILABLE if the service stops or loses the lease.
 */
async function claimAndBuild(
  stores: BuildStores,
  recipe: FileRecipe,
  stopping: AbortSignal,
): Promise<StoredFile | undefined> {
  if (stopping.aborted) throw stillBuilding();
  const claim = await claimFile(stores.database, recipe.key, recipe.format);
  return claim && 'leaseId' in claim ? build(stores, recipe, claim.leaseId, stopping) : claim?.file;
}

async function build(
  { database, store, tempStorage, log }: BuildStores,
  recipe: FileRecipe,
  leaseId: string,
  stopping: AbortSignal,
): Promise<StoredFile> {
  const { key, format, mediaType, write } = recipe;
  const lease = {
    name: 'built file',
    renewMs: RENEW_MS,
    renew: () => renewLease(database, key, leaseId),
    signal: stopping,
    log,
  };
  // Aborts if the lease is lost or the service stops.
  let active = stopping;
  try {
    return await withLease(lease, async (signal) => {
      active = signal;
      const file = await measuredBuild(format, () =>
        tempStorage.during(async (folder, full) => {
          const ended = AbortSignal.any([signal, full]);
          ended.throwIfAborted();
          const path = join(folder, `file.${format}`);
          const started = performance.now();
          const hash = await write(path, ended);
          ended.throwIfAborted();
          const stored = await store.put(builtFileObject(recipe), path, { mediaType, hash, signal: ended });
          log.info({ format, bytes: stored.bytes, seconds: (performance.now() - started) / 1000 }, 'file built');
          return stored;
        }),
      );
      await finishFile(database, key, leaseId, file);
      return file;
    });
  } catch (error) {
    await dropLease(database, key, leaseId).catch(() => undefined);
    if (active.aborted) throw stillBuilding();
    log.warn({ err: error, format }, 'file build failed');
    throw error;
  }
}

function stillBuilding(): ServiceError {
  return new ServiceError('UNAVAILABLE', `The file is being built; retry in ${RETRY_SECONDS} s.`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
