import type { Logger } from '@esd/service/health/log';
import { periodicJob } from '@esd/background/periodic-job';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findUnneededFiles, deleteUnused } from './built-file.store.ts';
import { builtFileObject } from './built-files.ts';

const EVERY_MS = 600_000;

export interface Keep {
  /** The maximum time since the last use. */
  hours: number;
  /** The maximum total size. The least recently used files are deleted first. */
  megabytes: number;
}

/**
 * Deletes unneeded built files and returns their number. Deletes the object before the row, because an object without a
 * row would never be deleted.
 */
export async function sweepBuiltFiles(database: Kysely<Tables>, store: ObjectStore, keep: Keep): Promise<number> {
  const unneeded = await findUnneededFiles(database, keep);
  for (const file of unneeded) {
    await store.remove([builtFileObject(file)]);
    await deleteUnused(database, file.key);
  }
  return unneeded.length;
}

/** Deletes unneeded files now and every ten minutes. The returned function stops this. */
export function startFileSweeper(
  database: Kysely<Tables>,
  store: ObjectStore,
  keep: Keep,
  log: Logger,
): () => Promise<void> {
  const job = periodicJob({
    name: 'built-files',
    everyMs: EVERY_MS,
    run: async () => {
      const files = await sweepBuiltFiles(database, store, keep);
      if (files > 0) log.info({ files }, 'built files deleted');
    },
    log,
  });
  return () => job.stop();
}
