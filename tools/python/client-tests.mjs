import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment as nodeEnvironment, node, root } from '../run.mjs';
import { Stop } from '../stop.mjs';
import { toolsFolder } from '../install-step.mjs';
import { pythonOf } from './environments.mjs';

export const client = join(root, 'clients', 'python');

/**
 * The number of tests by result.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/**
 * Runs pytest in each environment in sequence, against the running system in the folder `dataDir` or a system started for the tests.
 *
 * @param {import('./test-runs.mjs').Run[]} runs
 * @param {string} [dataDir]
 * @returns {Promise<Counts>} the sum of all runs
 */
export async function runClientTests(runs, dataDir = process.env.ESD_TEST_STACK) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  if (runs.length === 0) return total;
  const folder = mkdtempSync(join(tmpdir(), 'esd-python-'));
  const stack = dataDir === undefined ? await startStack() : { dataDir, end: async () => undefined };
  try {
    for (const { environment, arguments_ } of runs) {
      const counts = await runPytest(environment, arguments_, { folder, stack: stack.dataDir });
      for (const key of Object.keys(total)) total[key] += counts[key];
    }
  } finally {
    await stack.end();
    rmSync(folder, { recursive: true, force: true });
  }
  return total;
}

/** Returns the environment of a Python program that checks the client. `home` replaces the user's home folder. */
export function pythonEnvironment(home) {
  mkdirSync(home, { recursive: true });
  return {
    ...process.env,
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
    PYTHONPATH: join(client, 'src'),
    PYTHONPYCACHEPREFIX: join(toolsFolder, 'python', 'pycache'),
    PYTHONDONTWRITEBYTECODE: '',
    MPLBACKEND: 'agg',
  };
}

async function runPytest(environment, arguments_, { folder, stack }) {
  const name = `Python ${environment.interpreter.version} (${environment.set})`;
  const started = Date.now();
  console.log(`\n${name}: pytest ${arguments_.join(' ')}`);
  const results = join(folder, 'results.xml');
  const coverage = join(folder, 'coverage');
  rmSync(results, { force: true });
  const env = {
    ...pythonEnvironment(join(folder, 'home')),
    ESD_TEST_STACK: stack,
    ESD_TEST_URL: urlOf(stack),
    COVERAGE_FILE: coverage,
  };
  const python = (...args) => run(pythonOf(environment), args, env);
  const measured = environment.set === 'newest' && arguments_.length === 0;
  const pytest = ['-m', 'pytest', '-p', 'no:cacheprovider', `--junitxml=${results}`, ...arguments_];
  const code = await python(...(measured ? ['-m', 'coverage', 'run'] : []), ...pytest);
  if (measured && existsSync(coverage)) await python('-m', 'coverage', 'report', '--skip-covered');
  const counts = countsOf(results);
  // An error that pytest does not count is a failure too. Exit code 5: no tests matched the arguments.
  if (code !== 0 && code !== 5 && counts.failed === 0) counts.failed = 1;
  console.log(
    `${name}: ${counts.passed} passed, ${counts.failed} failed (${((Date.now() - started) / 1000).toFixed(1)} s)`,
  );
  return counts;
}

function urlOf(stack) {
  return JSON.parse(readFileSync(join(stack, 'stack.json'), 'utf8')).url;
}

export function run(command, arguments_, env) {
  const child = spawn(command, arguments_, { cwd: client, env, stdio: 'inherit' });
  const pass = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  }).finally(() => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, pass);
  });
}

/** @returns {Counts} */
function countsOf(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const suite = /<testsuite [^>]*>/.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
  const count = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const failed = count('errors') + count('failures');
  return { passed: Math.max(0, count('tests') - failed - count('skipped')), failed, skipped: count('skipped') };
}

async function startStack() {
  // The system stops when its standard input closes, which also happens when this process ends.
  const child = spawn(node, [join(root, 'libs', 'testing', 'src', 'serve-stack.ts')], {
    cwd: root,
    env: nodeEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const [dataDir] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended.then(() => [])]);
  if (dataDir === undefined)
    throw new Stop('The local stack for the tests of the Python client did not start. See the error above.');
  return {
    dataDir,
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
