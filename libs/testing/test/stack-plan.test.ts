import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { kindsOfFile, positionOf } from '../src/stack-plan.ts';

test('kindsOfFile finds the kinds of stacks in the source of a test file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'esd-plan-'));
  try {
    const file = join(folder, 'some.test.ts');
    await writeFile(file, `const { url } = await sharedStack();\nstack = await leaseStack('fresh');`);
    expect(kindsOfFile(file)).toEqual(['demo', 'fresh']);
    await writeFile(file, `expect(1).toBe(1);`);
    expect(kindsOfFile(file)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('files with the demo stack come first, then fresh stacks, then moderated ones, then the rest', () => {
  const inOrder = [['demo'], ['demo', 'moderated'], ['fresh'], ['moderated'], ['limited'], []] as const;
  const positions = inOrder.map((kinds) => positionOf(kinds));
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(new Set(positions).size).toBe(inOrder.length);
});
