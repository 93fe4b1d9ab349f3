/** `npm run bench [-- options]`: installs what is missing, then runs the benchmark; `npm run bench -- hostile [options]` runs that of hostile bodies, `attacks` that of an honest client beside attackers. */
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ servers: true, generated: true, pages: true });
  const [first, ...rest] = process.argv.slice(2);
  const others = { hostile: 'hostile.ts', attacks: 'honest-mix.ts' };
  const other = others[first];
  const [file, options] = other ? [other, rest] : ['main.ts', process.argv.slice(2)];
  return runNode(['--disable-warning=ExperimentalWarning', join(root, 'bench', file), ...options]);
});
