import { connectToPool, testFile } from './leased-stack.ts';

/**
 * Returns the system with the demo dataset that test files share, also at the same time. Tests can submit to it, but must not approve.
 * ESD_TEST_URL and ESD_TEST_DIR (credentials and mails) select another system.
 */
export async function sharedStack(): Promise<{ url: string; dataDir: string }> {
  const [url, dataDir] = [process.env['ESD_TEST_URL'], process.env['ESD_TEST_DIR']];
  if (url !== undefined && dataDir !== undefined) return { url, dataDir };
  if (url !== undefined || dataDir !== undefined)
    throw new Error('Set both ESD_TEST_URL and ESD_TEST_DIR, or neither.');
  const { ask, end } = await connectToPool();
  const answer = await ask({ lease: 'demo', file: testFile() });
  await end();
  if (!('facts' in answer)) throw new Error(`the pool has no stack: ${JSON.stringify(answer)}`);
  return { url: answer.facts.url, dataDir: answer.facts.dataDir };
}
