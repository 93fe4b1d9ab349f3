import type { TestStack } from '@esd/testing/stack';

/**
 * Runs `work` while processes are gone (killed, without an end in order) or silent (stopped where they are); they are back
 * afterwards, however it ended.
 */
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
