/** `npm run admin -- COMMAND`: the operator's command; see docs/operations.md. */
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ runtimeOnly: true });
  return runNode(['--disable-warning=ExperimentalWarning', join(root, 'tools', 'admin.ts'), ...process.argv.slice(2)]);
});
