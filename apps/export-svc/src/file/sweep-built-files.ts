import type { Logger } from '@esd/service/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findUnneededFiles, removeUnused } from './built-file.store.ts';
import { builtFileObject } from './built-files.ts';
import type { FileStore } from './file-store.ts';

const EVERY_MS = 600_000;

export interface Keep {
  /** A file that nobody used for so long goes. */
  hours: number;
  /** Beyond so much in all, the least recently used go. */
  megabytes: number;
}

/**
 * Removes the built files that need not be kept; returns how many. The files of versions are not among them. The object
 * goes first: a row without its object is built again, an object without its row would stay.
 */
export async function sweepBuiltFiles(database: Kysely<Tables>, store: FileStore, keep: Keep): Promise<number> {
  const unneeded = await findUnneededFiles(database, keep);
  for (const file of unneeded) {
    await store.remove(builtFileObject(file));
    await removeUnused(database, file.key);
  }
  return unneeded.length;
}

/** Sweeps now and every ten minutes. Returns how to stop it. */
export function startFileSweeper(
  database: Kysely<Tables>,
  store: FileStore,
  keep: Keep,
  log: Logger,
): () => Promise<void> {
  let running = Promise.resolve();
  const sweep = (): void => {
    running = sweepBuiltFiles(database, store, keep).then(
      (files) => {
        if (files > 0) log.info({ files }, 'built files removed');
      },
      (err: unknown) => {
        log.warn({ err }, 'built files could not be removed; they are swept later');
      },
    );
  };
  sweep();
  const timer = setInterval(sweep, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
