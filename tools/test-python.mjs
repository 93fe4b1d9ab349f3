/**
 * `npm run test:python [-- [--newest] pytest arguments]`: the Python client on every Python that is found but the newest, on which
 * `npm test` checks it, then its notebooks and packages. With `--newest`: on the newest alone, as `npm test` does. Against the system in
 * the folder ESD_TEST_STACK where that is set.
 */
import { ensureInstalled } from './install.mjs';
import { closingLine } from './closing-line.mjs';
import { runClientTests } from './python/client-tests.mjs';
import { newestRuns, otherRuns } from './python/test-runs.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  const arguments_ = process.argv.slice(2).filter((argument) => argument !== '--newest');
  const runs = await (process.argv.includes('--newest') ? newestRuns(arguments_) : otherRuns(arguments_));
  await ensureInstalled({
    servers: true,
    generated: true,
    pages: true,
    environments: runs.map(({ environment }) => environment),
  });
  const counts = await runClientTests(runs);
  console.log(closingLine(counts));
  return counts.failed === 0 ? 0 : 1;
});
