/** `npm run lint`: code, import rules, contracts and formatting. Runs every check, also after one has failed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  await ensureInstalled({ generated: true });
  const previous = previousContracts();
  const sources = ['apps', 'bench', 'e2e', 'libs', 'tools'].filter((folder) => existsSync(join(root, folder)));
  const checks = [
    ['eslint', '.'],
    ['depcruise', '--config', '.dependency-cruiser.mjs', ...sources],
    ['buf', 'lint'],
    ...(previous === undefined ? [] : [['buf', 'breaking', '--against', `.git#ref=${previous}`]]),
    ['prettier', '--check', '.'],
  ];
  if (previous === undefined) console.log('buf breaking: there is no earlier commit with proto/ to compare with');
  const failed = [];
  for (const [tool, ...arguments_] of checks) {
    const started = Date.now();
    const name = [tool, ...arguments_].slice(0, 2).join(' ');
    const code = await runNode([join(root, 'node_modules', '.bin', tool), ...arguments_]);
    if (code !== 0) failed.push(name);
    console.log(`${name}: ${code === 0 ? 'passed' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  }
  if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});

/** The commit before the one that is checked out, when the history is there and has contracts. */
function previousContracts() {
  try {
    const options = { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', timeout: 10_000 };
    execFileSync('git', ['rev-parse', '--verify', 'HEAD~1:proto'], options);
    return execFileSync('git', ['rev-parse', 'HEAD~1'], options).trim();
  } catch {
    return undefined;
  }
}
