import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '../stack/folder-lock.ts';

const module = join(import.meta.dirname, '../stack/folder-lock.ts');
const holder = `import { lockFolder } from ${JSON.stringify(module)};
lockFolder(process.argv[1]);
console.log('locked');
setInterval(() => {}, 1000);`;

let folder: string;
let other: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-lock-'));
});
afterEach(async () => {
  other?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

test('one process has the folder, until it is killed', async () => {
  const holding = spawn(process.execPath, ['--input-type=module', '-e', holder, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  other = holding;
  await once(holding.stdout, 'data');
  expect(() => lockFolder(folder)).toThrow(`${folder} is in use by another stack`);
  holding.kill('SIGKILL');
  await once(holding, 'exit');
  lockFolder(folder).release();
});

test('a folder that was released can be taken again', () => {
  lockFolder(folder).release();
  lockFolder(folder).release();
});
