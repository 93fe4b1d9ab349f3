/** `npm run verify -- VERSION | --query ID [--url URL]`: verifies a release or a public query; see docs/versions.md and docs/explore.md. */
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ runtimeOnly: true });
  return runNode(['--disable-warning=ExperimentalWarning', join(root, 'tools', 'verify.ts'), ...process.argv.slice(2)]);
});
