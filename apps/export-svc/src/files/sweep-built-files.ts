import type { Logger } from '@esd/service/health/log';
import { periodicJob } from '@esd/background/periodic-job';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findUnneededFiles, deleteUnused } from './built-file.store.ts';
import { builtFileObject } from './built-files.ts';

const EVERY_MS = 600_000;

export interface Keep {
  /** Since the last use. */
  hours: number;
  /** In total; the least recently used files are deleted. */
  megabytes: number;
}

/**
 * Deletes unneeded built files; returns how many. Deletes the object first: an object without a row would stay forever.
 */
export async function sweepBuiltFiles(database: Kysely<Tables>, store: ObjectStore, keep: Keep): Promise<number> {
  const unneeded = await findUnneededFiles(database, keep);
  for (const file of unneeded) {
    await store.remove([builtFileObject(file)]);
    await deleteUnused(database, file.key);
  }
  return unneeded.length;
}

/** Sweeps now and every ten minutes, until the returned function is called. */
export function startFileSweeper(
  database: Kysely<Tables>,
  store: ObjectStore,
  keep: Keep,
  log: Logger,
): () => Promise<void> {
  const job = periodicJob({
    name: 'built-file sweep',
    everyMs: EVERY_MS,
    run: async () => {
      const files = await sweepBuiltFiles(database, store, keep);
      if (files > 0) log.info({ files }, 'built files removed');
    },
    log,
  });
  return () => job.stop();
}
