import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { DISKS } from '../names/disks.ts';
import { gauge } from './metrics.ts';
import type { WarningCheck } from './warnings.ts';

const WARN_RATIO = 0.8;
const [TEMPORARY_FILES] = DISKS;

const usedRatio = gauge('esd_disk_used_ratio');

/** Updates the metric of the used share of a disk or store; returns a warning at 80 % or more. Sizes are in bytes. */
export function usageWarning(name: string, used: number, size: number): string | undefined {
  const ratio = size > 0 ? used / size : 0;
  usedRatio.set({ disk: name }, ratio);
  if (ratio < WARN_RATIO) return undefined;
  return `${Math.floor(ratio * 100)} % of ${(size / 1e9).toPrecision(3)} GB is used`;
}

/** Removes the metric of a store that cannot be measured at present. */
export function forgetUsage(name: string): void {
  usedRatio.remove({ disk: name });
}

export async function diskUse(): Promise<{ name: string; usedRatio: number }[]> {
  const { values } = await usedRatio.get();
  return values.map(({ labels, value }) => ({ name: String(labels.disk), usedRatio: value }));
}

/** Returns a check that measures the disk of a folder as `df` does: space that only root may use does not count. */
export function watchedDisk(name: string, folder: string): WarningCheck {
  return {
    name,
    check: async () => {
      const { blocks, bfree, bavail, bsize } = await statfs(folder);
      const used = blocks - bfree;
      return usageWarning(name, used * bsize, (used + bavail) * bsize);
    },
  };
}

/**
 * Returns the checks of the disks of temporary files and of `folders`. Names contain only the last part of a path, because
 * /ready is public.
 */
export function watchedDisks(folders: readonly string[]): WarningCheck[] {
  return [watchedDisk(TEMPORARY_FILES, tmpdir()), ...folders.map((folder) => watchedDisk(basename(folder), folder))];
}
