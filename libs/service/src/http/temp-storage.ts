import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOWANCES } from '@esd/api/allowances';
import type { ClientKey } from '../quota-client.ts';
import { clientShares } from '../client-shares.ts';

export interface TempStorageUse {
  /** The client whose quota is used; 'internal' by default. */
  client?: ClientKey;
  /** The expected size; reserved before the work begins. */
  bytes?: number;
}

/** Temporary folders of a process; deleted when it ends. */
export interface TempStorage {
  /**
   * Creates a folder for `work` and deletes it afterwards. All folders together may use a share of the space;
   * those of one client may use half of that. Growth beyond `bytes` is measured and charged while the work runs.
   * Throws RATE_LIMITED or UNAVAILABLE if there is not enough space: before the work, or after `full` has aborted it.
   */
  during<Result>(work: (folder: string, full: AbortSignal) => Promise<Result>, use?: TempStorageUse): Promise<Result>;
  close(): Promise<void>;
}

export interface TempStorageOptions {
  /** A size limit set by the platform, if it is less than the free space of the file system. */
  megabytes?: number | undefined;
}

// Between two measurements, writers must not fill the quarter that stays free.
const MEASURE_INTERVAL_MS = 250;

/**
 * Opens the temporary storage of this process in the system's temporary folder. Deletes the folders of dead processes with
 * the same name. The name consists of lower-case letters and hyphens.
 */
export async function openTempStorage(
  name: string,
  { megabytes = Infinity }: TempStorageOptions = {},
): Promise<TempStorage> {
  await removeOrphans(name);
  const own = join(tmpdir(), `${name}-${process.pid}`);
  // In a container, a process has the pid of its predecessor.
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { mode: 0o700 });
  const { bavail, bsize } = await statfs(own);
  const shares = clientShares({
    name: 'bytes of temporary files',
    max: Math.floor((Math.min(bavail * bsize, megabytes * 1e6) * ALLOWANCES.shares.temporaryFiles.amount) / 100),
  });
  return {
    during: async (work, { client = 'internal', bytes = 0 } = {}) => {
      const releases = [shares.acquire(client, bytes)];
      let reserved = bytes;
      const full = new AbortController();
      let measurement: Promise<void> | undefined;
      const acquireGrowth = async (folder: string): Promise<void> => {
        const growth = (await bytesIn(folder)) - reserved;
        if (growth <= 0) return;
        try {
          releases.push(shares.acquire(client, growth));
          reserved += growth;
        } catch (error) {
          full.abort(error);
        }
      };
      try {
        const folder = await mkdtemp(join(own, 'work-'));
        const timer = setInterval(() => {
          measurement ??= acquireGrowth(folder).finally(() => {
            measurement = undefined;
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
          await measurement;
          await rm(folder, { recursive: true, force: true });
        }
      } finally {
        for (const release of releases) release();
      }
    },
    close: () => rm(own, { recursive: true, force: true }),
  };
}

/** Returns the bytes of the files in a folder; ignores files deleted during the measurement. */
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
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
