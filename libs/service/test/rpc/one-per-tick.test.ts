import { expect, test } from '@jest/globals';
import { onePerTick } from '../../src/rpc/one-per-tick.ts';

test('tasks that arrive together start one per tick in order, and a single task starts immediately', async () => {
  const start = onePerTick();
  const done: string[] = [];
  const task = (name: string) => () => {
    done.push(name);
    setImmediate(() => done.push(`${name} went out`));
  };
  for (let round = 0; round < 2; round += 1) {
    start(task('one'));
    expect(done).toEqual(['one']);
    start(task('two'));
    await new Promise<void>((resolve) => {
      start(() => {
        done.push('three');
        resolve();
      });
    });
    expect(done).toEqual(['one', 'one went out', 'two', 'two went out', 'three']);
    done.length = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
});
