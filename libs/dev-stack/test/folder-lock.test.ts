import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFolder } from '../src/folder-lock.ts';
import { writeStackFile } from '../src/stack-file.ts';

const module = join(import.meta.dirname, '../src/folder-lock.ts');
const holder = `import { lockFolder } from ${JSON.stringify(module)};
await lockFolder(process.argv[1], () => {});
console.log('locked');
setInterval(() => {}, 1000);`;

let folder: string;
let other: ChildProcess;
let lines: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-lock-'));
  lines = [];
  const args = ['--input-type=module', '-e', holder, folder];
  const holding = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  other = holding;
  await once(holding.stdout, 'data');
});
afterEach(async () => {
  other.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

// Longer than a busy machine needs to unlock the folder, or to write a file.
const lock = (momentMs = 60_000): Promise<{ release: () => void }> =>
  lockFolder(folder, (line) => lines.push(line), momentMs);
const stack = { launcher: 1, parent: process.pid, ready: false, url: '', addresses: {}, processes: {} };

/** Checks that the lock waits, then kills the process that has it. */
async function expectWait(locked: Promise<{ release: () => void }>): Promise<void> {
  do expect(await Promise.race([locked, sleep(100, 'waits')])).toBe('waits');
  while (lines.length === 0);
  other.kill('SIGKILL');
  (await locked).release();
  expect(lines).toEqual(['waiting for an earlier stack to stop']);
}

test('one process locks the folder until it is killed', async () => {
  await expect(lock(0)).rejects.toThrow(`${folder} is in use by another stack`);
  other.kill('SIGKILL');
  (await lock()).release();
  (await lock()).release();
});

test('lockFolder waits for a stack that is stopping', async () => {
  writeStackFile(folder, { ...stack, stopping: true });
  await expectWait(lock(0));
});

test('lockFolder waits for a stack that records a moment later that it is stopping', async () => {
  const locked = lock();
  await sleep(100);
  writeStackFile(folder, { ...stack, stopping: true });
  await expectWait(locked);
});

test('lockFolder waits for a stack whose parent was killed, even if it has not recorded that it is stopping', async () => {
  const parent = spawn(process.execPath, ['-e', '']);
  await once(parent, 'exit');
  writeStackFile(folder, { ...stack, parent: parent.pid ?? 0, stopping: false });
  await expectWait(lock(0));
});

test('lockFolder does not wait for a running stack', async () => {
  writeStackFile(folder, { ...stack, stopping: false });
  await expect(lock(0)).rejects.toThrow(`${folder} is in use by another stack`);
});
