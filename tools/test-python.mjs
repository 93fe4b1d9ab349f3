/**
 * `npm run test:python [-- [--newest] pytest arguments]`: tests the Python client on every Python except the newest (all tests on the oldest), then its
 * notebooks and packages. `npm run test:all` tests it on the newest; `--newest` does the same here. ESD_TEST_STACK selects the folder of a running system.
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
