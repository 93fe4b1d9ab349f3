import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { leaseStack } from '../src/leased-stack.ts';
import { sharedStack } from '../src/shared-stack.ts';
import { fileEnded, planRun } from '../src/stack-plan.ts';
import { openStackPool, type StackPool } from '../src/stack-pool.ts';

let pool: StackPool;
const before = { ...process.env };
beforeEach(async () => {
  pool = await openStackPool();
  process.env['ESD_TEST_STACK_POOL'] = pool.path;
});
afterEach(async () => {
  process.env = { ...before };
  await pool.close();
});

test('after a shared stack failed to start, the next lease starts it again', async () => {
  for (const nowhere of ['127.0.0.1:1', '127.0.0.1:2']) {
    process.env['ESD_PG_ADMIN_URL'] = `postgres://postgres@${nowhere}/postgres`;
    await expect(sharedStack()).rejects.toThrow(`ECONNREFUSED ${nowhere}`);
  }
});

test('a stack serves the files that need it and stops after the last one', async () => {
  planRun(['first', 'last'].map((path) => ({ path, kinds: ['moderated'] })));
  const first = await leaseStack('moderated');
  await first.stop();
  fileEnded('first');
  const last = await leaseStack('moderated');
  expect(last.url).toBe(first.url);
  expect((await fetch(`${last.url}/health`)).status).toBe(200);
  await last.stop();
  const { dataDir } = last;
  fileEnded('last');
  while (existsSync(dataDir)) await sleep(20);
  await expect(fetch(`${last.url}/health`)).rejects.toThrow();
});
