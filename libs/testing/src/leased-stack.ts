import { expect } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { kindOfRun, type StackKind } from './stack-kinds.ts';
import type { PoolAnswer, PoolRequest } from './stack-pool.ts';
import { testStack, type TestStack } from './stack.ts';

/**
 * A stack of this kind for this test file alone, until `stop` gives it back; waits for one that is free. Other files have used
 * it before: what they left is in it.
 */
export async function leaseStack(kind: Exclude<StackKind, 'demo'>): Promise<TestStack> {
  const { ask, end } = await connectToPool();
  const answer = await ask({ lease: kindOfRun(kind), file: testFile() });
  if (!('facts' in answer)) throw new Error(`no stack: ${JSON.stringify(answer)}`);
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

/** Connects to the pool of the test run. `ask` sends one line and reads the answer to it; one at a time waits for its turn. */
export async function connectToPool(): Promise<{
  ask: (request: PoolRequest) => Promise<PoolAnswer>;
  end: () => Promise<void>;
}> {
  const path = process.env['ESD_TEST_STACK_POOL'];
  if (path === undefined) throw new Error('There is no pool of stacks: run the tests by npm test.');
  const socket = connect(path);
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const ask = (request: PoolRequest): Promise<PoolAnswer> => {
    const answer = last.then(async () => {
      socket.write(`${JSON.stringify(request)}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error('the pool of stacks has ended');
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

/** The path of the test file that runs. */
export function testFile(): string {
  return expect.getState().testPath ?? '';
}
