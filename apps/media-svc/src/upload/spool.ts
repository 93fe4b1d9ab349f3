import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'esd-media-';

/** A folder for what an upload needs while it lasts. */
export interface Spool {
  /** Makes a folder for `work` and removes it with all that is in it. */
  during<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Opens the spool of this process in the system's folder for temporary files, and removes those that dead processes left. */
export async function openSpool(): Promise<Spool> {
  await removeOfTheDead();
  const own = join(tmpdir(), `${PREFIX}${process.pid}`);
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { mode: 0o700 });
  return {
    during: async (work) => {
      const folder = await mkdtemp(join(own, 'upload-'));
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: () => rm(own, { recursive: true, force: true }),
  };
}

async function removeOfTheDead(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^esd-media-(\d+)$/.exec(name)?.[1]);
    if (pid > 0 && !lives(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be asked, but is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
