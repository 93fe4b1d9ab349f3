import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ClientKey } from '@esd/service/auth/client';
import { ServiceError } from '@esd/service/errors';
import { fairQueue } from '@esd/background/fair-queue';
import type { Logger } from '@esd/service/health/log';
import type { FileHash } from '@esd/object-store/file-hash';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { TempStorage } from '@esd/service/http/temp-storage';
import type { Tables } from '../tables.ts';
import { claimFile, dropLease, findFile, finishFile, renewLease } from './built-file.store.ts';
import type { StoredFile } from './stored-file.ts';
import { withLease } from './lease.ts';

export interface FileRecipe {
  /** Hash of everything that determines the bytes. */
  key: string;
  format: string;
  mediaType: string;
  /** Name of the object, if it is not one of the built files that are deleted when unused. */
  objectKey?: string;
  /** Writes the file; ends when the signal aborts. */
  write: (path: string, signal: AbortSignal) => Promise<FileHash>;
}

export interface BuiltFiles {
  /**
   * Returns the file; builds it if it is missing. Of all concurrent callers in all replicas, one builds, at the first
   * turn of any of their clients. Throws UNAVAILABLE with Retry-After when it takes longer than 10 s; the build
   * continues. Throws RATE_LIMITED when the builds of the client exceed its share of the queue.
   */
  get(recipe: FileRecipe, client: ClientKey, signal: AbortSignal): Promise<StoredFile>;
  /** Aborts the running builds; the next call starts them again. */
  stop(): Promise<void>;
}

const WAIT_MS = 10_000;
const POLL_MS = 200;
const RENEW_MS = 8_000;
const RETRY_SECONDS = 5;
const CONCURRENCY = 2;
const MAX_WAITING = 16;

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
  /** The clients in whose turn it may be built. */
  clients: Set<ClientKey>;
  /** Aborts at the turn of one client, so that the others leave the queue. */
  begun: AbortController;
  /** Resolves to undefined when another replica builds it. */
  result: PromiseWithResolvers<StoredFile | undefined>;
}

/** Opens the built files of this replica. Clients take turns; callers of the same file share one build. */
export function openBuiltFiles(stores: BuildStores): BuiltFiles {
  const stopping = new AbortController();
  const wanted = new Map<string, WantedFile>();
  const queue = fairQueue({
    name: 'exports',
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    retryAfterSeconds: RETRY_SECONDS,
  });

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
      // Otherwise another client builds it in its turn.
      if (!begun.signal.aborted && clients.size === 0) result.reject(error);
    }
  };

  /** Builds a file at the first turn of any client that requests it. */
  const want = (recipe: FileRecipe, client: ClientKey): Promise<StoredFile | undefined> => {
    let one = wanted.get(recipe.key);
    if (!one) {
      one = { clients: new Set(), begun: new AbortController(), result: Promise.withResolvers() };
      wanted.set(recipe.key, one);
      const forget = (): void => {
        wanted.delete(recipe.key);
      };
      // Both handlers, because its callers may have left.
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
      const late = AbortSignal.timeout(WAIT_MS);
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

/** Returns undefined while another replica builds it. Throws UNAVAILABLE when the service stops or loses the lease. */
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
  // Aborts when the lease is lost or the service stops.
  let active = stopping;
  try {
    return await withLease(lease, async (signal) => {
      active = signal;
      const file = await tempStorage.during(async (folder, full) => {
        const ended = AbortSignal.any([signal, full]);
        ended.throwIfAborted();
        const path = join(folder, `file.${format}`);
        const started = performance.now();
        const hash = await write(path, ended);
        ended.throwIfAborted();
        const stored = await store.put(builtFileObject(recipe), path, { mediaType, hash, signal: ended });
        log.info({ format, bytes: stored.bytes, seconds: (performance.now() - started) / 1000 }, 'file built');
        return stored;
      });
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
  return new ServiceError(
    'UNAVAILABLE',
    `The file is being built; retry in ${RETRY_SECONDS} s.`,
    undefined,
    RETRY_SECONDS,
  );
}
