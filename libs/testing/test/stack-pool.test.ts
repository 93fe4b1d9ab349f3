import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sharedStack } from '../src/shared-stack.ts';
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

test('a shared stack that did not start is started anew for the next who asks', async () => {
  for (const nowhere of ['127.0.0.1:1', '127.0.0.1:2']) {
    process.env['ESD_PG_ADMIN_URL'] = `postgres://postgres@${nowhere}/postgres`;
    await expect(sharedStack()).rejects.toThrow(`ECONNREFUSED ${nowhere}`);
  }
});
