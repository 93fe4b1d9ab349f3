import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Temporary folders of a process, which go with it. */
export interface Spool {
  /** Makes a folder for `work` and removes it with all that is in it. */
  during<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Opens the spool of this process in the system's folder for temporary files, and removes those that dead processes of the
 * same name left. The name is of small letters and hyphens.
 */
export async function openSpool(name: string): Promise<Spool> {
  await removeOfTheDead(name);
  const own = join(tmpdir(), `${name}-${process.pid}`);
  // In a container a process has the number of its predecessor.
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { mode: 0o700 });
  return {
    during: async (work) => {
      const folder = await mkdtemp(join(own, 'work-'));
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: () => rm(own, { recursive: true, force: true }),
  };
}

async function removeOfTheDead(name: string): Promise<void> {
  for (const found of await readdir(tmpdir())) {
    const pid = found.startsWith(`${name}-`) ? Number(found.slice(name.length + 1)) : 0;
    if (pid > 0 && !lives(pid)) {
      await rm(join(tmpdir(), found), { recursive: true, force: true }).catch(() => undefined);
    }
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
