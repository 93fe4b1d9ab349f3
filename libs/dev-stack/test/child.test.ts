import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child, type ChildSpec } from '../src/child.ts';
import { reserveFreePort } from '../src/free-port.ts';
import { runningProcesses } from '../src/processes.ts';
import { eventually } from '@esd/testing/eventually';

const ignoresTerm = 'trap "" TERM; echo deaf; while :; do sleep 0.1; done';

let folder: string;
let lines: string[];
let children: Child[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-child-'));
  lines = [];
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  await rm(folder, { recursive: true });
});

function child(script: string, more: Partial<ChildSpec> = {}): Child {
  const made = new Child(
    {
      name: 'worker',
      tier: 'service',
      ports: [],
      command: '/bin/sh',
      args: ['-c', script],
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      logFile: join(folder, 'worker.log'),
      stopSignal: 'SIGTERM',
      graceSeconds: 1,
      probe: () => Promise.resolve(true),
      ...more,
    },
    (line) => lines.push(line),
    () => undefined,
  );
  children.push(made);
  return made;
}

const start = (made: Child, timeoutMs?: number): Promise<void> => made.start(AbortSignal.timeout(120_000), timeoutMs);

const untilDeaf = () =>
  eventually(async () => (await readFile(join(folder, 'worker.log'), 'utf8').catch(() => '')).includes('deaf'));

const isRunning = async (pid: number): Promise<boolean> => (await runningProcesses()).has(pid);

async function launch(grace: number, script: string): Promise<{ launcher: number; worker: number }> {
  const args = [
    join(import.meta.dirname, 'keeper.ts'),
    join(folder, 'worker.log'),
    String(grace),
    '/bin/sh',
    '-c',
    script,
  ];
  const launcher = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const data: unknown[] = await once(launcher.stdout.setEncoding('utf8'), 'data');
  const [answer] = data;
  const [pid, worker] = [launcher.pid, Number(answer)];
  if (pid === undefined || !(worker > 0)) throw new Error(`the launcher printed ${String(answer)}`);
  return { launcher: pid, worker };
}

test('a process ends when its launcher is killed', async () => {
  const { launcher, worker } = await launch(600, 'exec sleep 600');
  expect(await isRunning(worker)).toBe(true);
  process.kill(launcher, 'SIGKILL');
  await eventually(async () => !(await isRunning(worker)));
});

test('a process that ignores the signal is killed after its grace period when its launcher is killed', async () => {
  const { launcher, worker } = await launch(1, ignoresTerm);
  await untilDeaf();
  const killed = Date.now();
  process.kill(launcher, 'SIGKILL');
  await eventually(async () => !(await isRunning(worker)));
  expect(Date.now() - killed).toBeGreaterThan(900);
});

test('a process has the id and the exit status of its command', async () => {
  const made = child('echo $$ > pid; exec sleep 600');
  await start(made);
  await eventually(async () => (await readFile(join(folder, 'pid'), 'utf8').catch(() => '')) !== '');
  expect(Number(await readFile(join(folder, 'pid'), 'utf8'))).toBe(made.pid);
});

test('a process that exits by itself is restarted after a growing delay', async () => {
  const made = child('exec sleep 600');
  await start(made);
  for (const seconds of ['0.2', '0.4']) {
    const before = made.pid;
    if (before === undefined) throw new Error('the process is not running');
    process.kill(before, 'SIGKILL');
    await eventually(() => made.pid !== undefined && made.pid !== before);
    expect(lines.pop()).toContain(`worker ended (signal SIGKILL), restarting in ${seconds} s`);
  }
});

test('a stopped process stays down, and its watcher ends with it', async () => {
  // The watcher is a fork of the shell that the command has replaced, and still has its arguments.
  const watchers = (): number =>
    spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).stdout.split(folder).length - 1;
  const made = child(`exec sleep 600 # ${folder}`);
  await start(made);
  expect(watchers()).toBeGreaterThan(0);
  await made.stop();
  await eventually(() => watchers() === 0);
  expect(made.pid).toBeUndefined();
  expect(lines).toEqual([]);
});

test('stop kills a process that ignores the signal after its grace period', async () => {
  const made = child(ignoresTerm);
  await start(made);
  await untilDeaf();
  const started = Date.now();
  await made.stop();
  expect(Date.now() - started).toBeGreaterThan(900);
  expect(made.pid).toBeUndefined();
});

test('stop ends a suspended process', async () => {
  const made = child('echo deaf; exec sleep 600', { graceSeconds: 600 });
  await start(made);
  await untilDeaf();
  if (made.pid !== undefined) process.kill(made.pid, 'SIGSTOP');
  // Must return long before the grace period of 600 s ends.
  await made.stop();
});

test('a command that cannot start fails with the end of its log, after three attempts', async () => {
  const made = child('echo the disk is on fire; exit 3', { probe: () => Promise.resolve(false) });
  await expect(start(made)).rejects.toThrow(/worker does not start\..*worker\.log:\n(.*the disk is on fire\s*){3}$/s);
});

test('a probe that succeeds after the process has exited does not count', async () => {
  // Simulates a port that another process uses: the command cannot listen on it, but the probe gets a response.
  const made: Child = child('echo the port is taken; exit 1', {
    probe: async () => {
      await eventually(() => made.pid === undefined);
      return true;
    },
  });
  await expect(start(made)).rejects.toThrow(/worker does not start\..*the port is taken/s);
});

test('a command that does not become ready fails after the timeout', async () => {
  const made = child('echo thinking; exec sleep 600', {
    probe: async () => {
      await eventually(async () => (await readFile(join(folder, 'worker.log'), 'utf8')).includes('thinking'));
      return false;
    },
  });
  await expect(start(made, 3_000)).rejects.toThrow(/worker is not ready after 3 s.*thinking/s);
});

test('the ports of a process are reserved until it starts', async () => {
  const reserved = await reserveFreePort();
  const listens = (): Promise<boolean> =>
    new Promise((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(reserved.port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
  expect(await listens()).toBe(false);
  await start(child('exec sleep 600', { ports: [reserved] }));
  expect(await listens()).toBe(true);
});
