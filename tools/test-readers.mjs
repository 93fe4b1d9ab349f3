/**
 * `npm run test:readers`: checks the metadata of a running service with validators and readers of each format. It also reads the Parquet
 * file over HTTP with common programs, and compares the identifiers in the seeds with their source packages. ESD_TEST_URL selects a
 * service with the demo dataset; without it, one is started. `npm run identifiers` (`--write-identifiers`) writes the identifiers instead.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureInstalled } from './install.mjs';
import { environment, node, root } from './run.mjs';
import { runMain, Stop } from './stop.mjs';

const sources = join(root, 'tools', 'readers');
const installed = join(root, '.tools', 'readers');
const python = join(installed, 'venv', 'bin', 'python');
const startWithinMs = 300_000;

await runMain(async () => {
  await ensureInstalled({ servers: true, generated: true, pages: true });
  installReaders();
  const writes = process.argv.includes('--write-identifiers');
  const folder = mkdtempSync(join(tmpdir(), 'esd-readers-'));
  try {
    const options = writes ? [] : ['--check'];
    const identified = [
      run(node, [join(sources, 'identify-units.mjs'), ...options], folder),
      run(python, [join(sources, 'identify_solvents.py'), ...options], folder),
    ];
    if (writes) return Math.max(...identified);
    const stack = process.env.ESD_TEST_URL === undefined ? await startStack(folder) : undefined;
    try {
      const context = join(sources, 'node_modules', 'ro-crate', 'lib', 'context.json');
      const url = stack?.url ?? process.env.ESD_TEST_URL ?? '';
      const checked = run(python, [join(sources, 'check_metadata.py'), url, context], folder);
      const parquet = `${url}/files/v1.0.0/records.parquet`;
      const read = run(python, [join(sources, 'read_parquet.py'), parquet], folder);
      return Math.max(checked, read, readWithR(parquet), ...identified);
    } finally {
      await stack?.end();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Installs tools/readers/requirements.txt and package-lock.json, unless they are installed. */
function installReaders() {
  const wanted = ['requirements.txt', 'package-lock.json']
    .map((name) => readFileSync(join(sources, name), 'utf8'))
    .join();
  const stamp = join(installed, 'stamp');
  const modules = join(sources, 'node_modules');
  if (existsSync(modules) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('installing: metadata readers');
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  step('python3', ['-m', 'venv', join(installed, 'venv')]);
  step(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', join(sources, 'requirements.txt')]);
  step('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', sources]);
  writeFileSync(stamp, wanted);
}

function step(command, arguments_) {
  const env = environment({ PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0', PIP_DISABLE_PIP_VERSION_CHECK: '1' });
  const { status, error, stderr } = spawnSync(command, arguments_, {
    cwd: sources,
    env,
    encoding: 'utf8',
    timeout: 900_000,
  });
  if (status === 0) return;
  const reason = error?.message ?? stderr.trimEnd().slice(-1_500);
  throw new Stop(`Cannot install the metadata readers: ${command} ${arguments_[0]}: ${reason}`);
}

/** Runs a check with its output on the terminal. `home` replaces the user's home folder. */
function run(command, arguments_, home) {
  const env = {
    ...process.env,
    ESD_NODE: node,
    HOME: home,
    XDG_CACHE_HOME: home,
    CROISSANT_CACHE: join(home, 'croissant'),
  };
  return spawnSync(command, arguments_, { cwd: root, env, stdio: 'inherit', timeout: 1_800_000 }).status ?? 1;
}

/** Reads the Parquet file with R. The other checks do not need R, so without it, only prints what to install. */
function readWithR(url) {
  const probe = 'q(status = !any(vapply(c("arrow", "nanoparquet"), requireNamespace, NA, quietly = TRUE)))';
  if (spawnSync('Rscript', ['-e', probe], { timeout: 60_000 }).status === 0) {
    // The packages of a user are in the home folder.
    return run('Rscript', [join(sources, 'read-parquet.R'), url], homedir());
  }
  console.log('skipped R: install R (r-base-core in Debian) and its package arrow or nanoparquet');
  return 0;
}

/** Starts the local stack with the demo on a free port. */
async function startStack(folder) {
  const dataDir = join(folder, 'esd');
  const start = [join(root, 'tools', 'start.mjs'), '--port', String(await freePort()), '--data-dir', dataDir];
  const child = spawn(node, start, { cwd: root, env: environment({ npm_execpath: undefined }), stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const deadline = Date.now() + startWithinMs;
  for (;;) {
    const file = join(dataDir, 'stack.json');
    const { ready, url } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    if (ready) return { url, end };
    if (child.exitCode !== null || Date.now() > deadline) {
      await end();
      throw new Stop('The local stack for the metadata tests did not start. Run `npm start` to see why.');
    }
    await sleep(500);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
