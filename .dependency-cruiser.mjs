const test = '(^|/)test/|^e2e/|^libs/testing/';

/** The import rules of the rooms in docs/architecture.md. */
export default {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'apps-import-no-apps',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'record-imports-nothing',
      comment: 'The domain is pure: no packages, no Node modules, no other library.',
      severity: 'error',
      from: { path: '^libs/record/src/' },
      to: { pathNot: '^libs/record/src/' },
    },
    {
      name: 'libs-import-no-apps',
      severity: 'error',
      from: { path: '^libs/', pathNot: test },
      to: { path: '^apps/' },
    },
    {
      name: 'tools-import-no-apps',
      comment: 'The local stack knows the services as processes only.',
      severity: 'error',
      from: { path: '^tools/' },
      to: { path: '^(apps|libs)/' },
    },
    {
      name: 'proto-imports-no-lib',
      severity: 'error',
      from: { path: '^libs/proto/' },
      to: { path: '^(apps|libs|tools|e2e)/', pathNot: '^libs/proto/' },
    },
    {
      name: 'service-imports-only-proto',
      severity: 'error',
      from: { path: '^libs/service/src/' },
      to: { path: '^(apps|libs|tools|e2e)/', pathNot: '^libs/(service|proto)/' },
    },
    {
      name: 'events-import-only-proto-and-service',
      severity: 'error',
      from: { path: '^libs/events/src/' },
      to: { path: '^(apps|libs|tools|e2e)/', pathNot: '^libs/(events|service|proto)/' },
    },
    {
      name: 'testing-only-in-tests',
      severity: 'error',
      from: { pathNot: `${test}|^tools/|^bench/` },
      to: { path: '^(tools|e2e|libs/testing|[^/]+/[^/]+/test)/' },
    },
    {
      name: 'exceljs-behind-one-module',
      comment: 'Nobody maintains it: docs/decisions/0016-reading-workbooks.md says what would replace it.',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/', pathNot: '^apps/export-svc/src/file/dated-workbook\\.ts$' },
      to: { path: '/exceljs/' },
    },
    {
      name: 'only-declared-packages',
      comment: 'A package that is imported stands in the package.json of its workspace.',
      severity: 'error',
      from: { pathNot: '\\.mjs$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-development-packages-in-production',
      severity: 'error',
      from: { path: '^(apps|libs)/[^/]+/src/', pathNot: '^libs/testing/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'], pathNot: '/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^libs/proto/src/generated/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.d.ts'],
    },
  },
};
