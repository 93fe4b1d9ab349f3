import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '..');
const SCOPE = '@esd';

export interface BaselineCheckout {
  folder: string;
  commit: string;
  remove(): void;
}

/**
 * Checks out a commit into a temporary folder. It uses the installed packages of this checkout but its own workspaces. A commit with other
 * package versions must be measured in its own clone.
 */
export function checkOut(name: string): BaselineCheckout {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--short', `${name}^{commit}`);
  const folder = join(mkdtempSync(join(tmpdir(), 'esd-against-')), 'checkout');
  git('worktree', 'add', '--detach', folder, commit);
  symlinkSync(join(root, '.tools'), join(folder, '.tools'));
  const packages = join(folder, 'node_modules');
  mkdirSync(join(packages, SCOPE), { recursive: true });
  for (const entry of readdirSync(join(root, 'node_modules'))) {
    if (entry !== SCOPE) symlinkSync(join(root, 'node_modules', entry), join(packages, entry));
  }
  for (const file of globSync('{libs,apps}/*/package.json', { cwd: folder })) {
    const workspace = dirname(file);
    const manifest: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    symlinkSync(join(folder, workspace), join(packages, z.object({ name: z.string() }).parse(manifest).name));
    const own = join(root, workspace, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, workspace, 'node_modules'));
  }
  execFileSync(process.execPath, ['generate.mjs'], { cwd: join(folder, 'libs/proto'), stdio: 'inherit' });
  const pages = join(folder, 'apps/web/bundle.mjs');
  if (existsSync(pages)) execFileSync(process.execPath, [pages], { stdio: 'inherit' });
  return {
    folder,
    commit,
    remove: () => {
      git('worktree', 'remove', '--force', folder);
    },
  };
}
