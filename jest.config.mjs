import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

// npm test installs kubectl where PyPI has it, which is not on macOS.
const kubectl = join(import.meta.dirname, '.tools', 'kubernetes', 'bin', 'kubectl');
const rendersManifests = existsSync(kubectl) || spawnSync('kubectl', ['version', '--client']).status === 0;
if (!rendersManifests) console.warn('There is no kubectl: the Kubernetes manifests are not tested.');

/** One worker for each processor, as far as the memory goes: a worker with the stack that it tests takes up to 3 GB. */
const maxWorkers = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 3e9)));

/** Node runs the TypeScript sources itself, so jest needs no transformer. */
const common = {
  rootDir: import.meta.dirname,
  testMatch: ['**/*.test.ts'],
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/libs/testing/src/property-runs.setup.ts'],
};

export default {
  maxWorkers,
  // Each test file leaves something behind in its worker.
  workerIdleMemoryLimit: 1_500_000_000,
  // Of hooks too, which start servers: that takes minutes where others hold the processors. jest ignores it inside a project.
  testTimeout: 240_000,
  projects: [
    { ...common, displayName: 'record', roots: ['<rootDir>/libs/record'] },
    {
      ...common,
      displayName: 'services',
      roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/libs/record/',
        ...(rendersManifests ? [] : ['<rootDir>/tools/test/k8s-']),
      ],
      globalSetup: '<rootDir>/libs/testing/src/postgres.setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/postgres.teardown.ts',
    },
    {
      ...common,
      displayName: 'e2e',
      roots: ['<rootDir>/e2e'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/e2e/faults/',
        '<rootDir>/e2e/deploy/',
        '<rootDir>/e2e/pages/',
      ],
      globalSetup: '<rootDir>/libs/testing/src/stack-pool.setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/stack-pool.teardown.ts',
    },
    // Every page and state in a browser: `npm run test:pages`.
    {
      ...common,
      displayName: 'pages',
      roots: ['<rootDir>/e2e/pages'],
      globalSetup: '<rootDir>/libs/testing/src/stack-pool.setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/stack-pool.teardown.ts',
    },
    // Minutes of killed and silent processes, each on a stack of its own: `npm run test:faults`.
    { ...common, displayName: 'faults', roots: ['<rootDir>/e2e/faults'] },
    // Needs a Docker engine with compose: `npm run test:deploy`.
    { ...common, displayName: 'deploy', roots: ['<rootDir>/e2e/deploy'] },
  ],
};
