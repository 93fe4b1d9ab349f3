/** Node runs the TypeScript sources itself, so jest needs no transformer. */
export default {
  rootDir: '.',
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools', '<rootDir>/e2e'],
  testMatch: ['**/*.test.ts'],
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  testTimeout: 30_000,
};
