import { expect } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { kindOfRun, type StackKind } from './stack-kinds.ts';
import type { PoolAnswer, PoolRequest } from './stack-pool.ts';
import { testStack, type TestStack } from './stack.ts';

/** Leases a stack for this test file until `stop`; waits for a free one. It can contain data of other test files. */
export async function leaseStack(kind: Exclude<StackKind, 'demo'>): Promise<TestStack> {
  const { ask, end } = await connectToPool();
  const answer = await ask({ lease: kindOfRun(kind), file: testFile() });
  if (!('facts' in answer)) throw new Error(`the pool has no stack: ${JSON.stringify(answer)}`);
  const call = async (request: PoolRequest): Promise<void> => {
    const done = await ask(request);
    if ('error' in done) throw new Error(done.error);
  };
  return testStack(answer.facts, {
    kill: (name) => call({ call: 'kill', name }),
    start: (name) => call({ call: 'start', name }),
    restart: (name) => call({ call: 'restart', name }),
    stop: end,
  });
}

/** Connects to the stack pool of the test run. `ask` sends one request and reads its response; concurrent calls are queued. */
export async function connectToPool(): Promise<{
  ask: (request: PoolRequest) => Promise<PoolAnswer>;
  end: () => Promise<void>;
}> {
  const path = process.env['ESD_TEST_STACK_POOL'];
  if (path === undefined)
    throw new Error('ESD_TEST_STACK_POOL is missing, so there is no stack pool. Run the tests with `npm test`.');
  const socket = connect(path);
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const ask = (request: PoolRequest): Promise<PoolAnswer> => {
    const answer = last.then(async () => {
      socket.write(`${JSON.stringify(request)}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error('the stack pool closed the connection');
      return JSON.parse(value) as PoolAnswer; // written by stack-pool.ts, the only server
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  const end = async (): Promise<void> => {
    socket.end();
    if (!socket.closed) await once(socket, 'close');
  };
  return { ask, end };
}

export function testFile(): string {
  return expect.getState().testPath ?? '';
}
