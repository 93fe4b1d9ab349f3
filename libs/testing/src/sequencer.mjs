import TestSequencer from '@jest/test-sequencer';
import { kindsOfFile, planRun, positionOf } from './stack-plan.ts';

/**
 * Orders test files by their stacks, then as jest does. This file is JavaScript, because the types of the base class do
 * not describe its ES module.
 */
export default class StackSequencer extends TestSequencer {
  async sort(tests) {
    const files = (await super.sort(tests)).map((test) => ({ test, path: test.path, kinds: kindsOfFile(test.path) }));
    planRun(files);
    return files.toSorted((a, b) => positionOf(a.kinds) - positionOf(b.kinds)).map(({ test }) => test);
  }
}
