import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

// npm run test:all installs kubectl from PyPI, which has none for macOS.
const kubectl = join(import.meta.dirname, '.tools', 'kubernetes', 'bin', 'kubectl');
const rendersManifests = existsSync(kubectl) || spawnSync('kubectl', ['version', '--client']).status === 0;

/** The memory of the machine, or of its container or control group. */
const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);

/**
 * Exceeds the processors by one, because tests wait a third of their time. A worker with its stack takes up to 2 GB of memory; the
 * shared servers and jest itself take 1.5 GB.
 */
const maxWorkers = Math.max(1, Math.min(availableParallelism() + 1, Math.floor((memory - 1.5e9) / 2e9)));

/** Settings of all projects. There is no transformer, because Node runs TypeScript sources. */
const common = {
  rootDir: import.meta.dirname,
  testMatch: ['**/*.test.ts'],
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: '<rootDir>/libs/testing/src/native-environment.ts',
  runtime: '<rootDir>/libs/testing/src/native-runtime.ts',
  injectGlobals: false,
  setupFiles: ['<rootDir>/libs/testing/src/property-runs.setup.ts'],
};

/** Servers that the test files of a project share. */
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
  // The modules of all test files take half of this.
  workerIdleMemoryLimit: 600_000_000,
  // Also applies to hooks, which start servers: this takes minutes on a busy machine. jest ignores this setting inside a project.
  testTimeout: 600_000,
  projects: [
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
    // Only in npm run test:all: stacks with other settings, web pages in a browser, deployment.
    {
      ...common,
      ...withStacks,
      displayName: 'matrix',
      roots: ['<rootDir>/e2e/matrix'],
      testPathIgnorePatterns: ['/node_modules/', ...(rendersManifests ? [] : ['/k8s-'])],
    },
    { ...common, ...withStacks, displayName: 'pages', roots: ['<rootDir>/e2e/pages'] },
    {
      ...common,
      displayName: 'deployment',
      roots: [deployment],
      testPathIgnorePatterns: ['/node_modules/', ...(rendersManifests ? [] : [`${deployment}/k8s-`])],
    },
    // npm run test:faults: kills and suspends processes for minutes, each test on its own stack.
    { ...common, displayName: 'faults', roots: ['<rootDir>/e2e/faults'] },
    // npm run test:deploy: needs a Docker engine with compose.
    { ...common, displayName: 'deploy', roots: ['<rootDir>/e2e/deploy'] },
  ],
};
