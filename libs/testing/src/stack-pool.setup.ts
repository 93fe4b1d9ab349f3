import { openStackPool } from './stack-pool.ts';

/** Opens the stack pool (see stack-kinds.ts). jest calls it before the first test. */
export default async function setUp(): Promise<void> {
  const pool = await openStackPool();
  process.env['ESD_TEST_STACK_POOL'] = pool.path;
  closePool = pool.close;
}

let closePool = (): Promise<void> => Promise.resolve();

export const tearDown = (): Promise<void> => closePool();
