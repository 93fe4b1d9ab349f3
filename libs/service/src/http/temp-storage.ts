import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientKey } from '../auth/client.ts';
import { clientShares } from '../client-shares.ts';

/** Whose a temporary folder is, and how much will be written to it. */
export interface TempStorageUse {
  /** Who the room is counted by; 'internal' unless given. */
  client?: ClientKey;
  /** What is known to come; reserved before the work begins. */
  bytes?: number;
}

/** Temporary folders of a process, which go with it. */
export interface TempStorage {
  /**
   * Makes a folder for `work` and removes it with all that is in it. All folders together hold at most three quarters of
   * the room, those of one client half of that. What grows beyond what was announced takes room as it is seen to grow.
   * Throws RATE_LIMITED or UNAVAILABLE when there is no room, before the work or, when it outgrows the room, after `full`
   * has asked the work to end.
   */
  during<Result>(work: (folder: string, full: AbortSignal) => Promise<Result>, use?: TempStorageUse): Promise<Result>;
  close(): Promise<void>;
}

export interface TempStorageOptions {
  /** Room of the temporary folder, where it is less than its file system has free: a quota that only the platform knows. */
  megabytes?: number | undefined;
}

const USABLE_SHARE = 0.75;
const RETRY_SECONDS = 5;
// Between two looks a writer adds less than the quarter that stays free.
const MEASURE_INTERVAL_MS = 250;

/**
 * Opens the temporary storage of this process in the system's folder for temporary files, and removes those that dead processes of the
 * same name left. The name is of small letters and hyphens.
 */
export async function openTempStorage(
  name: string,
  { megabytes = Infinity }: TempStorageOptions = {},
): Promise<TempStorage> {
  await removeOrphans(name);
  const own = join(tmpdir(), `${name}-${process.pid}`);
  // In a container a process has the number of its predecessor.
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { mode: 0o700 });
  const { bavail, bsize } = await statfs(own);
  const room = clientShares({
    name: 'bytes of temporary files',
    max: Math.floor(Math.min(bavail * bsize, megabytes * 1e6) * USABLE_SHARE),
    retryAfterSeconds: RETRY_SECONDS,
  });
  return {
    during: async (work, { client = 'internal', bytes = 0 } = {}) => {
      const release = [room.take(client, bytes)];
      let reserved = bytes;
      const full = new AbortController();
      let look: Promise<void> | undefined;
      const takeGrown = async (folder: string): Promise<void> => {
        const grown = (await bytesIn(folder)) - reserved;
        if (grown <= 0) return;
        try {
          release.push(room.take(client, grown));
          reserved += grown;
        } catch (error) {
          full.abort(error);
        }
      };
      try {
        const folder = await mkdtemp(join(own, 'work-'));
        const timer = setInterval(() => {
          look ??= takeGrown(folder).finally(() => {
            look = undefined;
          });
        }, MEASURE_INTERVAL_MS);
        try {
          const result = await work(folder, full.signal);
          full.signal.throwIfAborted();
          return result;
        } catch (error) {
          full.signal.throwIfAborted();
          throw error;
        } finally {
          clearInterval(timer);
          await look;
          await rm(folder, { recursive: true, force: true });
        }
      } finally {
        for (const back of release) back();
      }
    },
    close: () => rm(own, { recursive: true, force: true }),
  };
}

/** Bytes of the files of a folder; what goes meanwhile counts nothing. */
async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map(async (file) => {
    const found = await stat(join(folder, file)).catch(() => undefined);
    return found?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function removeOrphans(name: string): Promise<void> {
  for (const found of await readdir(tmpdir())) {
    const pid = found.startsWith(`${name}-`) ? Number(found.slice(name.length + 1)) : 0;
    if (pid > 0 && !isRunning(pid)) {
      await rm(join(tmpdir(), found), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be asked, but is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
