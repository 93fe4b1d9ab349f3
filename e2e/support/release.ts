import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { runCommand } from '@esd/testing/run-command';
import { root } from '@esd/dev-stack/root';

const INSTALL_MS = 600_000;

const lock = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({ version: z.string().optional(), optional: z.boolean().optional(), link: z.boolean().optional() }),
  ),
});
const manifest = z.looseObject({ name: z.string() });

/** The git ref of the release before this one: ESD_TEST_UPGRADE_FROM, else the newest tag before HEAD, if there is one. */
export async function formerRelease(): Promise<string | undefined> {
  const chosen = process.env['ESD_TEST_UPGRADE_FROM'];
  if (chosen !== undefined) return chosen;
  try {
    return (await runCommand(['git', 'describe', '--tags', '--abbrev=0', 'HEAD'], { cwd: root })).trim();
  } catch {
    // No tag yet, or no history.
    return undefined;
  }
}

/**
 * Lays a release out in a temporary folder, ready to run. Its packages are those of this checkout where it asks for the same
 * versions; else they are installed.
 */
export async function layOutRelease(ref: string): Promise<{ checkout: string; remove: () => Promise<void> }> {
  const checkout = await mkdtemp(join(tmpdir(), 'esd-release-'));
  const archive = join(checkout, 'release.tar');
  await runCommand(['git', 'archive', '--output', archive, ref], { cwd: root });
  await runCommand(['tar', '-xf', archive, '-C', checkout]);
  await rm(archive);
  if (await hasItsPackages(checkout)) await linkPackages(checkout);
  else await runCommand(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: checkout, timeoutMs: INSTALL_MS });
  await runCommand([process.execPath, 'generate.mjs'], { cwd: join(checkout, 'libs', 'proto'), timeoutMs: INSTALL_MS });
  const pages = join(checkout, 'apps', 'web', 'bundle.mjs');
  if (existsSync(pages)) await runCommand([process.execPath, pages], { cwd: checkout, timeoutMs: INSTALL_MS });
  return { checkout, remove: () => rm(checkout, { recursive: true, force: true }) };
}

/** Whether all that the release asks for is installed here. */
async function hasItsPackages(checkout: string): Promise<boolean> {
  const wanted = await readLock(join(checkout, 'package-lock.json'));
  const installed = await readLock(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) =>
      !path.startsWith('node_modules/') || optional === true || link === true || installed[path]?.version === version,
  );
}

async function readLock(file: string): Promise<z.output<typeof lock>['packages']> {
  return lock.parse(JSON.parse(await readFile(file, 'utf8'))).packages;
}

/** Links every installed package but ours, which are those of the release. */
async function linkPackages(checkout: string): Promise<void> {
  await linkEntries(join(root, 'node_modules'), join(checkout, 'node_modules'));
  await mkdir(join(checkout, 'node_modules', '@esd'));
  for (const workspace of await workspaces(checkout)) {
    const { name } = manifest.parse(JSON.parse(await readFile(join(checkout, workspace, 'package.json'), 'utf8')));
    await symlink(join(checkout, workspace), join(checkout, 'node_modules', name));
    const own = join(root, workspace, 'node_modules');
    if (existsSync(own)) await linkEntries(own, join(checkout, workspace, 'node_modules'));
  }
}

async function linkEntries(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from)) if (entry !== '@esd') await symlink(join(from, entry), join(to, entry));
}

async function workspaces(checkout: string): Promise<string[]> {
  const files = await readdir(checkout, { recursive: true });
  return files.filter((file) => /^(libs\/|apps\/|)[\w-]+\/package\.json$/.test(file)).map((file) => dirname(file));
}
