import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '@esd/testing/http';
import { HAS_IPV6 } from '@esd/testing/stack-kinds';
import { reserveFreePort, portError } from '@esd/dev-stack/free-port';
import { alive, readStackFile } from '../support/launcher.ts';

const READY_MS = 200_000;

let dataDir: string;
let port: number;
const runs: Run[] = [];
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'esd-start-'));
  const reserved = await reserveFreePort();
  port = reserved.port;
  await reserved.release();
});
afterAll(async () => {
  for (const { child, exited } of runs) {
    child.kill('SIGTERM');
    await exited;
  }
  await rm(dataDir, { recursive: true, force: true });
});

interface Run {
  child: ChildProcess;
  exited: Promise<unknown>;
  output: () => string;
}

/** Runs `npm start -- --empty` with the folder of this test. */
function start(): Run {
  const script = join(import.meta.dirname, '../../tools/start.mjs');
  const child = spawn(process.execPath, [script, '--empty', '--port', String(port), '--data-dir', dataDir], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const run = { child, exited: once(child, 'exit'), output: () => output };
  runs.push(run);
  return run;
}

async function untilReady({ child, output }: Run): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (!output().includes('Ctrl-C')) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`npm start is not ready: ${output()}`);
    await sleep(20);
  }
  expect((await request(`http://localhost:${port}/ready`)).status).toBe(200);
}

const state = () => readStackFile(dataDir);

// Each test continues with the folder of the previous one.
test('a start succeeds immediately after the previous one was killed', async () => {
  const first = start();
  while (!existsSync(join(dataDir, 'stack.json'))) {
    if (first.child.exitCode !== null) throw new Error(`npm start ended: ${first.output()}`);
    await sleep(5);
  }
  first.child.kill('SIGKILL');
  await untilReady(start());
});

test('only this machine can connect', async () => {
  for (const host of ['127.0.0.1', ...(HAS_IPV6 ? ['[::1]'] : [])])
    expect((await request(`http://${host}:${port}/health`)).status).toBe(200);
  // A server that listens on all addresses would respond here too.
  await expect(request(`http://127.0.0.2:${port}/health`)).rejects.toThrow();
});

test('a second start with the same folder reports that it is in use and changes nothing', async () => {
  const before = state();
  const other = start();
  await other.exited;
  expect(other.child.exitCode).toBe(1);
  expect(other.output()).toContain(`${dataDir} is in use by another stack`);
  expect(state()).toEqual(before);
});

test('Ctrl-C ends every process and frees the port', async () => {
  const { launcher, processes } = state();
  expect(Object.keys(processes)).toHaveLength(9);
  const [, running] = runs;
  running?.child.kill('SIGINT');
  await running?.exited;
  expect(running?.child.exitCode).toBe(0);
  expect(alive([launcher, ...Object.values(processes)])).toEqual([]);
  expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
  expect(await portError(port)).toBeUndefined();
});
