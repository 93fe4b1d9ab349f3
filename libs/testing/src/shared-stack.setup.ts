import { startStack } from './stack.ts';

/** Starts the stack that the tests of this run share (see shared-stack.ts). Called by jest before the first of them. */
export default async function setUp(): Promise<void> {
  const stack = await startStack();
  process.env['ESD_TEST_STACK_URL'] = stack.url;
  process.env['ESD_TEST_STACK_DIR'] = stack.dataDir;
  stopSharedStack = stack.stop;
}

let stopSharedStack = (): Promise<void> => Promise.resolve();

/** Ends it, after the last test. */
export const tearDown = (): Promise<void> => stopSharedStack();
