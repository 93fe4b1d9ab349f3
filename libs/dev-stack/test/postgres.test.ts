import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child, type ChildSpec } from '../src/child.ts';
import { embeddedPostgres } from '../src/postgres.ts';
import { runningProcesses } from '../src/processes.ts';

let folder: string;
let spec: ChildSpec;
let server: Child;
let suspended: number[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-postgres-test-'));
  await mkdir(join(folder, 'logs'));
  ({ spec } = await embeddedPostgres({ dataDir: folder, password: 'secret', durable: false }));
  // A suspended backend never lets its server shut down.
  spec.graceSeconds = 1;
  suspended = [];
});
afterEach(async () => {
  await server.kill();
  for (const pid of await running(suspended)) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true });
});

const start = async (its: ChildSpec): Promise<void> => {
  server = new Child(
    its,
    () => undefined,
    () => undefined,
  );
  await server.start(AbortSignal.timeout(120_000));
};

async function running(pids: readonly number[]): Promise<number[]> {
  const processes = await runningProcesses();
  return pids.filter((pid) => processes.has(pid));
}

/** Suspends the server and its backends. */
async function suspend(): Promise<number> {
  const { pid } = server;
  if (pid === undefined) throw new Error('PostgreSQL is not running');
  // A suspended server does not reap a backend that exits, so its process id remains valid.
  process.kill(pid, 'SIGSTOP');
  const backends = [...(await runningProcesses()).values()].filter(({ parent }) => parent === pid);
  expect(backends.length).toBeGreaterThan(2);
  suspended = [pid, ...backends.map((one) => one.pid)];
  for (const one of suspended) process.kill(one, 'SIGSTOP');
  return pid;
}

test('a suspended PostgreSQL that is killed is restarted, without its suspended backends', async () => {
  await start(spec);
  const before = await suspend();
  process.kill(before, 'SIGKILL');
  const deadline = Date.now() + 60_000;
  while (server.pid === undefined || server.pid === before || !(await spec.probe(server.pid))) {
    expect(Date.now()).toBeLessThan(deadline);
    await sleep(50);
  }
  expect(await running(suspended)).toEqual([]);
});

test('stop ends a suspended PostgreSQL with its backends', async () => {
  await start(spec);
  await suspend();
  await server.stop();
  expect(await running(suspended)).toEqual([]);
});

test('a start ends the suspended backends of an earlier stack', async () => {
  const { endSubprocesses: _left, ...earlier } = spec;
  await start(earlier);
  await suspend();
  await server.kill();
  expect(await running(suspended)).not.toEqual([]);
  await start(spec);
  expect(await running(suspended)).toEqual([]);
});
