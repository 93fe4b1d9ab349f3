import { openStackPool } from './stack-pool.ts';

/** Opens the pool of the stacks that tests share (see stack-kinds.ts). Called by jest before the first of them. */
export default async function setUp(): Promise<void> {
  const pool = await openStackPool();
  process.env['ESD_TEST_STACK_POOL'] = pool.path;
  closePool = pool.close;
}

let closePool = (): Promise<void> => Promise.resolve();

/** Ends what was started, after the last test. */
export const tearDown = (): Promise<void> => closePool();
