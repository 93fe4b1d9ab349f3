/**
 * Lints the contracts in proto/ and checks them for breaking changes since the newest software release, or else since the commit in
 * proto/baseline. `npm run lint` calls it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const passed = buf('lint') && isCompatible();
if (!passed) process.exitCode = 1;

function isCompatible() {
  const base = git('describe', '--tags', '--match=v[0-9]*', '--abbrev=0') ?? baseline();
  if (git('rev-parse', '--verify', `${base}:proto`) !== undefined)
    return buf('breaking', '--against', `.git#ref=${base}`);
  console.error(
    `buf breaking: skipped, because ${base} is not in this clone. Fetch the history with \`git fetch --unshallow --tags\`.`,
  );
  return !process.env.CI;
}

function baseline() {
  return readFileSync(join(root, 'proto', 'baseline'), 'utf8').trim();
}

function git(...arguments_) {
  try {
    const options = { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', timeout: 10_000 };
    return execFileSync('git', arguments_, options).trim();
  } catch {
    return undefined;
  }
}

function buf(...arguments_) {
  const program = join(root, 'node_modules', '.bin', 'buf');
  return spawnSync(program, arguments_, { cwd: root, stdio: 'inherit', timeout: 120_000 }).status === 0;
}
