import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { ClientKey } from '../../src/quota-client.ts';
import { openTempStorage } from '../../src/http/temp-storage.ts';

const NAME = 'esd-tempStorage-of-a-test';

/** Creates the folder of a process with this pid, with one file in it. */
async function folderOf(pid: number): Promise<string> {
  const folder = join(tmpdir(), `${NAME}-${pid}`);
  await mkdir(join(folder, 'work-x'), { recursive: true });
  await writeFile(join(folder, 'work-x', 'file'), 'x');
  return folder;
}

test('a folder is deleted after its work, and folders of dead processes at the next start', async () => {
  const dead = await folderOf(spawnSync('true').pid);
  const own = await folderOf(process.pid);
  const alive = await folderOf(process.ppid);
  const tempStorage = await openTempStorage(NAME);
  expect([existsSync(dead), existsSync(alive), await readdir(own)]).toEqual([false, true, []]);
  let folder = '';
  const failing = tempStorage.during(async (path) => {
    folder = path;
    await writeFile(join(path, 'file'), 'x');
    throw new Error('the work failed');
  });
  await expect(failing).rejects.toThrow('the work failed');
  expect([dirname(folder), await readdir(own)]).toEqual([own, []]);
  await tempStorage.close();
  expect(existsSync(own)).toBe(false);
  await rm(alive, { recursive: true });
});

test('a client may use half of the space, all clients three quarters of the folder', async () => {
  const tempStorage = await openTempStorage(NAME, { megabytes: 1 });
  const done = Promise.withResolvers<void>();
  const hold = (client: ClientKey, bytes: number) => tempStorage.during(() => done.promise, { client, bytes });
  const held = [hold('address a', 300_000)];
  await expect(hold('address a', 100_000)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 5 });
  held.push(hold('address b', 300_000), hold('account c', 100_000));
  await expect(hold('account c', 100_000)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
  done.resolve();
  await Promise.all(held);
  await hold('address a', 375_000);
  await tempStorage.close();
});

test('work that exceeds its announced size is aborted before it takes the space of others', async () => {
  const tempStorage = await openTempStorage(NAME, { megabytes: 1 });
  const written = Promise.withResolvers<void>();
  const growing = tempStorage.during(async (folder, full) => {
    await writeFile(join(folder, 'file'), Buffer.alloc(300_000));
    written.resolve();
    while (!full.aborted) {
      await writeFile(join(folder, 'file'), Buffer.alloc(10_000), { flag: 'a' });
      await Promise.race([once(full, 'abort'), new Promise((resolve) => setTimeout(resolve, 50))]);
    }
  });
  await written.promise;
  await tempStorage.during(() => Promise.resolve(), { client: 'address a', bytes: 375_000 });
  await expect(growing).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await tempStorage.during(() => Promise.resolve(), { bytes: 375_000 });
  await tempStorage.close();
});
