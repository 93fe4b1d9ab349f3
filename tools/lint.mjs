/** `npm run lint`: code, import rules, contracts, formatting and the Python client. Runs every check, also after one has failed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { pythonChecks } from './python/lint.mjs';
import { root, runNode } from './run.mjs';
import { runMain } from './stop.mjs';

await runMain(async () => {
  const ofPython = await pythonChecks();
  await ensureInstalled({ generated: true, environments: ofPython.environments });
  const previous = previousContracts();
  const sources = ['apps', 'bench', 'e2e', 'libs', 'tools'].filter((folder) => existsSync(join(root, folder)));
  const atRoot = readdirSync(root).filter((name) => name.endsWith('.mjs'));
  const checks = [
    ...ofPython.checks,
    // One after the other: the types of all at once take more memory than Node gives a process.
    ofNode('eslint', 'apps', ...atRoot),
    ofNode('eslint', 'libs'),
    ofNode('eslint', 'bench', 'e2e', 'tools'),
    ofNode('depcruise', '--config', '.dependency-cruiser.mjs', ...sources),
    ofNode('buf', 'lint'),
    ...(previous === undefined ? [] : [ofNode('buf', 'breaking', '--against', `.git#ref=${previous}`)]),
    ofNode('prettier', '--check', '.'),
  ];
  if (previous === undefined) console.log('buf breaking: there is no earlier commit with proto/ to compare with');
  const failed = [];
  for (const { name, run } of checks) {
    const started = Date.now();
    const code = await run();
    if (code !== 0) failed.push(name);
    console.log(`${name}: ${code === 0 ? 'passed' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  }
  if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});

/** A check by a tool of node_modules. */
function ofNode(tool, ...arguments_) {
  return {
    name: `${tool} ${arguments_[0]}`,
    run: () => runNode([join(root, 'node_modules', '.bin', tool), ...arguments_]),
  };
}

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
