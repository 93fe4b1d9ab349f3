import { expect, test } from '@jest/globals';
import { oneATurn } from '../src/rpc/one-a-turn.ts';

test('works that come at once begin one a turn, in their order, and one that comes alone begins at once', async () => {
  const begin = oneATurn();
  const done: string[] = [];
  const work = (name: string) => () => {
    done.push(name);
    setImmediate(() => done.push(`${name} went out`));
  };
  for (let round = 0; round < 2; round += 1) {
    begin(work('one'));
    expect(done).toEqual(['one']);
    begin(work('two'));
    await new Promise<void>((resolve) => {
      begin(() => {
        done.push('three');
        resolve();
      });
    });
    expect(done).toEqual(['one', 'one went out', 'two', 'two went out', 'three']);
    done.length = 0;
    // The turn of the last one.
    await new Promise((resolve) => setImmediate(resolve));
  }
});
