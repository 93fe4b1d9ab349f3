import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from './stack-error.ts';
import { isStopping } from './stack-file.ts';

/** SQLite's result code for "another process holds the lock". */
const sqliteBusy = 5;

/** A stack that has just been told to stop needs a moment to say that it is stopping, and then some time to stop. */
const MOMENT_MS = 2_000;
const stopMs = 40_000;
const againMs = 50;

/**
 * Takes the data folder for this process, and waits for an earlier stack that is stopping. The lock is an exclusive transaction
 * on an empty SQLite file: the kernel releases it when the process ends, however it ends, so that it is never stale, and two
 * starts at once cannot both get it. Throws a StackError when another running stack holds it after `momentMs`.
 */
export async function lockFolder(
  dataDir: string,
  say: (line: string) => void,
  momentMs = MOMENT_MS,
): Promise<{ release: () => void }> {
  const started = Date.now();
  let said = false;
  for (;;) {
    const lock = tryLock(dataDir);
    if (lock !== undefined) return lock;
    const stopping = isStopping(dataDir);
    if (Date.now() - started > (stopping ? stopMs : momentMs)) break;
    if (stopping && !said) say('waiting for the end of an earlier stack');
    said ||= stopping;
    await sleep(againMs);
  }
  throw new StackError(
    `${dataDir} is in use by another stack: stop that one, or choose another folder with --data-dir.`,
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
