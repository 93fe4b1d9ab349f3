import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

// npm run test:all installs kubectl where PyPI has it, which is not on macOS.
const kubectl = join(import.meta.dirname, '.tools', 'kubernetes', 'bin', 'kubectl');
const rendersManifests = existsSync(kubectl) || spawnSync('kubectl', ['version', '--client']).status === 0;

/**
 * One worker more than processors, because tests wait for a third of their time, as far as the memory goes: a worker with the stack that it
 * tests takes up to 3 GB.
 */
const maxWorkers = Math.max(1, Math.min(availableParallelism() + 1, Math.floor(totalmem() / 3e9)));

/** Node runs the TypeScript sources itself, so jest needs no transformer. */
const common = {
  rootDir: import.meta.dirname,
  testMatch: ['**/*.test.ts'],
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: process.env.ESD_TEST_PROFILE ? '<rootDir>/libs/testing/src/profile-environment.ts' : 'node',
  setupFiles: ['<rootDir>/libs/testing/src/property-runs.setup.ts'],
};

/** The servers that the files of a project share. */
const withPostgres = {
  globalSetup: '<rootDir>/libs/testing/src/postgres.setup.ts',
  globalTeardown: '<rootDir>/libs/testing/src/postgres.teardown.ts',
};
const withStacks = {
  globalSetup: '<rootDir>/libs/testing/src/stack-pool.setup.ts',
  globalTeardown: '<rootDir>/libs/testing/src/stack-pool.teardown.ts',
};

const pure = ['libs/record', 'libs/pages', 'apps/web'].map((folder) => `<rootDir>/${folder}`);
const deployment = '<rootDir>/tools/test/deploy';
const endToEnd = ['matrix', 'pages', 'faults', 'deploy'].map((folder) => `<rootDir>/e2e/${folder}/`);

export default {
  maxWorkers,
  reporters: ['default', '<rootDir>/libs/testing/src/run-reporter.ts'],
  testSequencer: '<rootDir>/libs/testing/src/sequencer.mjs',
  // Each test file leaves something behind in its worker.
  workerIdleMemoryLimit: 1_500_000_000,
  // Of hooks too, which start servers: that takes minutes where others hold the processors. jest ignores it inside a project.
  testTimeout: 240_000,
  projects: [
    // The newcomer's run: npm test.
    { ...common, displayName: 'pure', roots: pure },
    {
      ...common,
      ...withPostgres,
      displayName: 'services',
      roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
      testPathIgnorePatterns: ['/node_modules/', ...[...pure, deployment].map((folder) => `${folder}/`)],
    },
    {
      ...common,
      ...withStacks,
      displayName: 'e2e',
      roots: ['<rootDir>/e2e'],
      testPathIgnorePatterns: ['/node_modules/', ...endToEnd],
    },
    // The rest of npm run test:all: stacks with other settings, the pages in a browser, what deploys the system.
    { ...common, ...withStacks, displayName: 'matrix', roots: ['<rootDir>/e2e/matrix'] },
    { ...common, ...withStacks, displayName: 'pages', roots: ['<rootDir>/e2e/pages'] },
    {
      ...common,
      displayName: 'deployment',
      roots: [deployment],
      testPathIgnorePatterns: ['/node_modules/', ...(rendersManifests ? [] : [`${deployment}/k8s-`])],
    },
    // Minutes of killed and silent processes, each on a stack of its own: npm run test:faults.
    { ...common, displayName: 'faults', roots: ['<rootDir>/e2e/faults'] },
    // Needs a Docker engine with compose: npm run test:deploy.
    { ...common, displayName: 'deploy', roots: ['<rootDir>/e2e/deploy'] },
  ],
};
