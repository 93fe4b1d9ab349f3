import type { Logger } from '@esd/service/health/log';
import { periodicJob } from '@esd/background/periodic-job';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findUnneededFiles, deleteUnused } from './built-file.store.ts';
import { builtFileObject } from './built-files.ts';

const EVERY_MS = 600_000;

export interface Keep {
  /** A file that nobody used for so long goes. */
  hours: number;
  /** Beyond so much in all, the least recently used go. */
  megabytes: number;
}

/**
 * Removes the built files that need not be kept; returns how many. The files of releases are not among them. The object
 * goes first: a row without its object is built again, an object without its row would stay.
 */
export async function sweepBuiltFiles(database: Kysely<Tables>, store: ObjectStore, keep: Keep): Promise<number> {
  const unneeded = await findUnneededFiles(database, keep);
  for (const file of unneeded) {
    await store.remove([builtFileObject(file)]);
    await deleteUnused(database, file.key);
  }
  return unneeded.length;
}

/** Sweeps now and every ten minutes. Returns how to stop it. */
export function startFileSweeper(
  database: Kysely<Tables>,
  store: ObjectStore,
  keep: Keep,
  log: Logger,
): () => Promise<void> {
  const job = periodicJob({
    name: 'sweep of built files',
    everyMs: EVERY_MS,
    run: async () => {
      const files = await sweepBuiltFiles(database, store, keep);
      if (files > 0) log.info({ files }, 'built files removed');
    },
    log,
  });
  return () => job.stop();
}
