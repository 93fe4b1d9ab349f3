import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StackError } from './stack-error.ts';

/** SQLite's result code for "another process holds the lock". */
const sqliteBusy = 5;

/**
 * Takes the data folder for this process. The lock is an exclusive transaction on an empty SQLite file: the kernel releases it
 * when the process ends, however it ends, so that it is never stale, and two starts at once cannot both get it.
 * Throws a StackError when another running stack holds it.
 */
export function lockFolder(dataDir: string): { release: () => void } {
  const database = new DatabaseSync(join(dataDir, 'lock.db'));
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === sqliteBusy) {
      throw new StackError(
        `${dataDir} is in use by another stack: stop that one, or choose another folder with --data-dir.`,
      );
    }
    throw error;
  }
  return { release: () => database.close() };
}
