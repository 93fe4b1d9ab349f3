import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@esd/testing/run-command';

/** A folder with a file system of its own, which a test fills and frees. */
export interface SmallDisk {
  /** Writes a file until the disk is full. Repeat it, because the server that uses the disk may delete files. */
  fill(): void;
  free(): void;
  /** Unmounts the disk. Processes that use it still reach its files. */
  unmount(): Promise<void>;
}

/** The reason why this process cannot mount disks, if it cannot. */
export const cannotMount =
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'mounting a small disk needs root on Linux';

/** Moves a folder, which may not exist yet, to a new tmpfs of `megabytes` that is mounted in its place. Nothing may use the folder. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  const [original, ballast] = [`${folder}.original`, join(folder, 'ballast')];
  await mkdir(folder, { recursive: true });
  await rename(folder, original);
  await mkdir(folder, { mode: 0o700 });
  await runCommand(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]);
  // A folder can contain sockets, which Node does not copy.
  await runCommand(['cp', '-a', `${original}/.`, folder]);
  await rm(original, { recursive: true });
  return {
    fill: () => {
      const file = openSync(ballast, 'a');
      const chunk = Buffer.alloc(64 * 1024, 1);
      try {
        for (let length = chunk.length; length > 0;) {
          try {
            writeSync(file, chunk, 0, length);
          } catch {
            // The last pages need smaller writes.
            length = length > 1 ? length >> 1 : 0;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: async () => {
      await runCommand(['umount', '--lazy', folder]);
    },
  };
}
