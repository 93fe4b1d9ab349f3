/**
 * `npm test [-- [--stack] [--affected] jest arguments]`: installs what is missing and runs the projects pure, services and e2e, or the tests
 * that the jest arguments select. `npm run test:all` (`--all`) adds the other projects, stacks with replicas, and the Python client.
 * `npm run test:profile` (`--profile`) prints the processor seconds of each file; with `--all`, it also writes tools/test-budget.json.
 * `--stack` uses the stack that runs in `.esd`; `--affected` tests only packages that differ from main. The last lines list failures and
 * tests that were not run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closingLine } from './closing-line.mjs';
import { ensureInstalled } from './install.mjs';
import { runClientTests } from './python/client-tests.mjs';
import { newestRuns } from './python/test-runs.mjs';
import { environment, node, nxArguments, root, runNode } from './run.mjs';
import { runMain, Stop } from './stop.mjs';
import { excessOf, writeBudget } from './test-budget.mjs';

const ownOptions = ['--all', '--profile', '--stack', '--affected'];

/** The projects of jest.config.mjs: those of `npm test`, the others, and the drills, with the commands that run them. */
const defaultProjects = ['pure', 'services', 'e2e'];
const otherProjects = { pages: 'npm run test:pages', matrix: 'npm run test:all', deployment: 'npm run test:all' };
const drills = { faults: 'npm run test:faults', deploy: 'npm run test:deploy' };
const whatItCovers = {
  pages: 'web pages in a browser',
  matrix: 'stacks with replicas, limits, TLS and two-factor sign-in',
  deployment: 'compose and Kubernetes files, backup, secrets',
  python: 'the Python client',
  faults: 'killed and suspended services',
  deploy: 'containers',
};

/** The warning is about the server name that grpc-js sends to an IP address; Node compares the address with the certificate all the same. */
const NODE_OPTIONS = '--expose-gc --disable-warning=DEP0123';

/** The space that a run needs for its databases, objects, and files. */
const TEMPORARY_GIGABYTES = 2;

await runMain(async () => {
  const started = Date.now();
  const options = process.argv.slice(2).filter((argument) => ownOptions.includes(argument));
  const given = process.argv.slice(2).filter((argument) => !ownOptions.includes(argument));
  const [all, profile, stack, affected] = ownOptions.map((option) => options.includes(option));
  const isWhole = given.length === 0 && !affected;
  const hasBudget = all && isWhole && (process.env.CI !== undefined || profile);
  const ofClient = all && isWhole ? await newestRuns([]) : [];
  await ensureInstalled({
    servers: true,
    kubernetes: process.argv.slice(2).some((argument) => argument === '--all' || argument.includes('deploy')),
    generated: true,
    pages: true,
    environments: ofClient.map(({ environment: wanted }) => wanted),
  });
  checkTemporarySpace();
  const folders = affected ? affectedFolders() : [];
  if (affected && folders.length === 0) {
    console.log('No package differs from the branch main, so there is nothing to test.');
    return 0;
  }
  const running = stack ? runningStack() : {};
  const folder = mkdtempSync(join(tmpdir(), 'esd-jest-'));
  try {
    const results = join(folder, 'results.json');
    const env = {
      ...running,
      ESD_TEST_RESULTS: results,
      ...(profile || hasBudget ? { ESD_TEST_PROFILE: join(folder, 'profile.jsonl') } : {}),
      ...(all ? { ESD_TEST_MATRICES: 'on' } : {}),
      NODE_OPTIONS,
      MALLOC_ARENA_MAX: '2',
    };
    const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
    const code = await runNode([jest, ...folders, ...withProjects(given, all)], { env });
    const counts = countsOf(results);
    let excess;
    if (hasBudget && counts.profile !== undefined) {
      if (profile) writeBudget(counts.profile);
      else excess = excessOf(counts.profile);
    }
    if (ofClient.length > 0) {
      const python = await runClientTests(ofClient, running.ESD_TEST_DIR);
      for (const key of Object.keys(python)) counts[key] += python[key];
      if (python.failed > 0) counts.failures.push('the Python client');
    }
    if (excess !== undefined) {
      console.error(excess);
      counts.failed += 1;
    }
    summarize(counts, isWhole ? notRun(all) : [], Date.now() - started);
    return code === 0 && counts.failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function checkTemporarySpace() {
  const { bavail, bsize } = statfsSync(tmpdir());
  const gigabytes = (bavail * bsize) / 1e9;
  if (gigabytes >= TEMPORARY_GIGABYTES) return;
  throw new Stop(
    `${tmpdir()} has ${gigabytes.toFixed(1)} GB of free space; the tests need ${TEMPORARY_GIGABYTES}. Free some, or set TMPDIR to another folder.`,
  );
}

/** Moves the option for projects to the end of the arguments, because jest treats every word after it as a project. */
function withProjects(jestArguments, all) {
  const at = jestArguments.indexOf('--selectProjects');
  if (at >= 0) {
    const projects = [...defaultProjects, ...Object.keys(otherProjects), ...Object.keys(drills)];
    const after = jestArguments.slice(at + 1);
    const selected = after.filter((word) => projects.includes(word));
    const others = after.filter((word) => !projects.includes(word));
    return [...jestArguments.slice(0, at), ...others, '--selectProjects', ...selected];
  }
  const namesFiles = jestArguments.some((argument) => !argument.startsWith('-'));
  const ignored = [...Object.keys(drills), ...(all || namesFiles ? [] : Object.keys(otherProjects))];
  return [...jestArguments, '--ignoreProjects', ...ignored];
}

/** Returns the folders of packages that differ from the branch main or depend on such a package. */
function affectedFolders() {
  const nx = nxArguments(['show', 'projects', '--affected', '--json']).filter(
    (option) => !option.startsWith('--output'),
  );
  const names = JSON.parse(
    execFileSync(node, nx, { cwd: root, env: environment(), encoding: 'utf8', timeout: 120_000 }),
  );
  const packages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(packages).flatMap(([path, { name }]) =>
    !path.includes('node_modules') && names.includes(name) ? [`${path}/`] : [],
  );
}

/** Returns the variables that point the tests to the stack in `.esd`. Throws a Stop if none is running. */
function runningStack() {
  const dataDir = join(root, '.esd');
  try {
    const { url, ready } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8'));
    if (ready) return { ESD_TEST_URL: url, ESD_TEST_DIR: dataDir };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  throw new Stop(`--stack: no stack is running in ${dataDir}. Start one with \`npm run dev\`.`);
}

function countsOf(file) {
  // Without results, jest failed before the tests.
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0, failures: ['jest did not run'] };
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Returns the tests that a whole run does not include, each with its command. */
function notRun(all) {
  const left = all ? drills : { ...otherProjects, python: 'npm run test:all', ...drills };
  return Object.entries(left).map(([name, command]) => `${whatItCovers[name]}: ${command}`);
}

function summarize(counts, left, milliseconds) {
  const seconds = Math.round(milliseconds / 1_000);
  console.log(`\nTime: ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
  for (const line of left) console.log(`Not run: ${line}`);
  for (const failure of counts.failures) console.log(`Failed: ${failure}`);
  console.log(closingLine(counts));
}
