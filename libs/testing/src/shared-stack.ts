import { connectToPool, testFile } from './leased-stack.ts';

/**
 * The system with the demo dataset that the tests of one run share, at the same time too: they may submit to it, but never
 * approve. It is the one at ESD_TEST_URL, whose credentials and mails are in ESD_TEST_DIR, where these are given.
 */
export async function sharedStack(): Promise<{ url: string; dataDir: string }> {
  const [url, dataDir] = [process.env['ESD_TEST_URL'], process.env['ESD_TEST_DIR']];
  if (url !== undefined && dataDir !== undefined) return { url, dataDir };
  if (url !== undefined || dataDir !== undefined) throw new Error('ESD_TEST_URL and ESD_TEST_DIR go together.');
  const { ask, end } = await connectToPool();
  const answer = await ask({ lease: 'demo', file: testFile() });
  await end();
  if (!('facts' in answer)) throw new Error(`no stack: ${JSON.stringify(answer)}`);
  return { url: answer.facts.url, dataDir: answer.facts.dataDir };
}
