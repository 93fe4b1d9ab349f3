/** `npm run drills [-- NAME…]`: installs what is missing, then runs the drills; see docs/reliability.md. */
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ servers: true, generated: true, pages: true });
  return runNode(['--disable-warning=ExperimentalWarning', join(root, 'e2e/drills/main.ts'), ...process.argv.slice(2)]);
});
