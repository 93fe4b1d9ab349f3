/** The system that the tests of one run share, with the demo dataset: they may submit to it, but never approve. */
export function sharedStack(): { url: string; dataDir: string } {
  const [url, dataDir] = [process.env['ESD_TEST_STACK_URL'], process.env['ESD_TEST_STACK_DIR']];
  if (url === undefined || dataDir === undefined)
    throw new Error('There is no shared stack: run the tests by npm test.');
  return { url, dataDir };
}
