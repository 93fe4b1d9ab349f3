import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from './stack-error.ts';
import { isStopping } from './stack-file.ts';

/** SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5;

/** A stack that received a signal needs a moment to record that it is stopping, and then up to `stopMs` to stop. */
const MOMENT_MS = 2_000;
const stopMs = 40_000;
const pollMs = 50;

/**
 * Locks the data folder for this process. Waits for an earlier stack that is stopping. The lock is an exclusive transaction on an empty
 * SQLite file, which the kernel releases when the process ends, so it is never stale. Throws a StackError if another running stack still
 * holds it after `momentMs`.
 */
export async function lockFolder(
  dataDir: string,
  say: (line: string) => void,
  momentMs = MOMENT_MS,
): Promise<{ release: () => void }> {
  const started = Date.now();
  let isReported = false;
  for (;;) {
    const lock = tryLock(dataDir);
    if (lock !== undefined) return lock;
    const stopping = isStopping(dataDir);
    if (Date.now() - started > (stopping ? stopMs : momentMs)) break;
    if (stopping && !isReported) say('waiting for an earlier stack to stop');
    isReported ||= stopping;
    await sleep(pollMs);
  }
  throw new StackError(
    `${dataDir} is in use by another stack. Stop that stack, or choose another folder with --data-dir.`,
  );
}

function tryLock(dataDir: string): { release: () => void } | undefined {
  const database = new DatabaseSync(join(dataDir, 'lock.db'));
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === sqliteBusy)
      return undefined;
    throw error;
  }
}
