import type { TestStack } from '@esd/testing/stack';

/** Runs `work` while processes are killed or suspended (SIGSTOP), and restores them afterwards. */
export async function whileAway<Result>(
  stack: TestStack,
  how: 'gone' | 'silent',
  names: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [leave, back] = how === 'gone' ? [stack.kill, stack.start] : [stack.pause, stack.resume];
  await Promise.all(names.map((name) => leave(name)));
  try {
    return await work();
  } finally {
    await Promise.all(names.map((name) => back(name)));
  }
}
