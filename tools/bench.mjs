/** `npm run bench [-- options]`: installs the missing packages, then runs the benchmark. */
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ servers: true, generated: true, pages: true });
  return runNode(['--disable-warning=ExperimentalWarning', join(root, 'bench/main.ts'), ...process.argv.slice(2)]);
});
