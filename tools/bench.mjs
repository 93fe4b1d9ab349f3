/** `npm run bench [-- options]`: installs what is missing, then runs the benchmark; `npm run bench -- hostile [options]` runs that of hostile bodies. */
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ servers: true, generated: true });
  const [first, ...rest] = process.argv.slice(2);
  const [file, options] = first === 'hostile' ? ['hostile.ts', rest] : ['main.ts', process.argv.slice(2)];
  return runNode(['--disable-warning=ExperimentalWarning', join(root, 'bench', file), ...options]);
});
