import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endLeftovers } from '../src/leftovers.ts';
import { writeStackFile } from '../src/stack-file.ts';

let folder: string;
let left: ChildProcess;
let lines: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-leftovers-'));
  left = spawn('sleep', ['600']);
  lines = [];
  await sleep(100);
  const processes = { gateway: left.pid ?? 0 };
  writeStackFile(folder, { launcher: 1, parent: 1, ready: true, stopping: false, url: '', addresses: {}, processes });
});
afterEach(async () => {
  left.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

test('waits for the processes of an earlier stack, then deletes stack.json', async () => {
  const ended = endLeftovers(folder, (line) => lines.push(line));
  expect(await Promise.race([ended, sleep(100, 'waits')])).toBe('waits');
  expect(left.signalCode).toBeNull();
  while (lines.length === 0) await sleep(20);
  left.kill();
  await ended;
  expect(lines).toEqual(['waiting for an earlier stack to stop (gateway)']);
  expect(existsSync(join(folder, 'stack.json'))).toBe(false);
});

test('does not touch a process that has reused a recorded id', async () => {
  const before = new Date(Date.now() - 60_000);
  await utimes(join(folder, 'stack.json'), before, before);
  await endLeftovers(folder, (line) => lines.push(line));
  expect(lines).toEqual([]);
  expect(left.exitCode).toBeNull();
});

test('kills a process that does not stop', async () => {
  const exit = once(left, 'exit');
  await endLeftovers(folder, (line) => lines.push(line), 100);
  expect(await exit).toEqual([null, 'SIGKILL']);
});

test('returns immediately for a folder without stack.json', async () => {
  await rm(join(folder, 'stack.json'));
  await endLeftovers(folder, (line) => lines.push(line));
  expect(lines).toEqual([]);
});
