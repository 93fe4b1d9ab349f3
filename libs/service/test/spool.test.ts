import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSpool } from '../src/spool.ts';

const NAME = 'esd-spool-of-a-test';

/** A folder as a process of this number would have it, with a file in it. */
async function folderOf(pid: number): Promise<string> {
  const folder = join(tmpdir(), `${NAME}-${pid}`);
  await mkdir(join(folder, 'work-x'), { recursive: true });
  await writeFile(join(folder, 'work-x', 'file'), 'x');
  return folder;
}

test('what a process needs for a while goes with the work, and what the dead left goes at the next start', async () => {
  const dead = await folderOf(spawnSync('true').pid);
  const own = await folderOf(process.pid);
  const alive = await folderOf(process.ppid);
  const spool = await openSpool(NAME);
  expect([existsSync(dead), existsSync(alive), await readdir(own)]).toEqual([false, true, []]);
  let folder = '';
  const failing = spool.during(async (path) => {
    folder = path;
    await writeFile(join(path, 'file'), 'x');
    throw new Error('the work failed');
  });
  await expect(failing).rejects.toThrow('the work failed');
  expect([dirname(folder), await readdir(own)]).toEqual([own, []]);
  await spool.close();
  expect(existsSync(own)).toBe(false);
  await rm(alive, { recursive: true });
});
