/** `npm run deposit -- VERSION [--url URL] [--to FOLDER]`: writes a release of a running system for deposit; see docs/metadata.md. */
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ runtimeOnly: true });
  return runNode([
    '--disable-warning=ExperimentalWarning',
    join(root, 'tools', 'deposit.ts'),
    ...process.argv.slice(2),
  ]);
});
