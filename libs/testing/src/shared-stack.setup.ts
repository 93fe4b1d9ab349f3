import { startStack } from './stack.ts';

/**
 * Starts the stack that the tests of this run share (see shared-stack.ts), or takes the system at ESD_TEST_URL, whose
 * credentials and mails are in ESD_TEST_DIR. Called by jest before the first of them.
 */
export default async function setUp(): Promise<void> {
  const [url, dataDir] = [process.env['ESD_TEST_URL'], process.env['ESD_TEST_DIR']];
  if (url !== undefined && dataDir !== undefined) {
    share(url, dataDir);
    return;
  }
  if (url !== undefined || dataDir !== undefined) throw new Error('ESD_TEST_URL and ESD_TEST_DIR go together.');
  const stack = await startStack();
  share(stack.url, stack.dataDir);
  stopSharedStack = stack.stop;
}

let stopSharedStack = (): Promise<void> => Promise.resolve();

function share(url: string, dataDir: string): void {
  process.env['ESD_TEST_STACK_URL'] = url;
  process.env['ESD_TEST_STACK_DIR'] = dataDir;
}

/** Ends it, after the last test. */
export const tearDown = (): Promise<void> => stopSharedStack();
