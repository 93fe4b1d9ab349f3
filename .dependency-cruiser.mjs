import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const test = '(^|/)test/|^e2e/|^libs/testing/';

/** Returns the libraries that the nx tags `imports:<name>` of a library name. */
const importsOf = (library) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'libs', library, 'package.json'), 'utf8')).nx.tags.flatMap((tag) =>
    tag.startsWith('imports:') ? [tag.slice('imports:'.length)] : [],
  );

const libraries = readdirSync(join(import.meta.dirname, 'libs')).filter((name) => name !== 'testing');

const importsOnlyItsTags = (library) => ({
  name: `${library}-imports-only-its-tags`,
  severity: 'error',
  from: { path: `^libs/${library}/src/` },
  to: { path: '^(apps|libs|tools|e2e|bench)/', pathNot: `^libs/(${[library, ...importsOf(library)].join('|')})/` },
});

/** The import rules that docs/architecture.md describes. */
export default {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'folders-import-in-one-direction',
      comment: 'Folders of a service import each other in one direction only, also through a third folder.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^apps/[^/]+/src/.' },
      to: { circular: true, path: '^apps/[^/]+/src/.' },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      // npm run test:readers installs the packages of these files.
      from: { pathNot: '^tools/readers/(identify-units|read-parquet)\\.mjs$' },
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
      comment:
        'libs/record also runs in a browser: it imports no Node module, no other library, and only the packages listed here.',
      severity: 'error',
      from: { path: '^libs/record/src/' },
      to: { pathNot: ['^libs/record/src/', '^node_modules/(@types/)?damerau-levenshtein/'] },
    },
    {
      name: 'libs-import-no-apps',
      severity: 'error',
      from: { path: '^libs/', pathNot: test },
      to: { path: '^apps/' },
    },
    {
      name: 'tools-import-only-dev-stack-events-object-store-and-record',
      severity: 'error',
      from: { path: '^tools/', pathNot: test },
      to: { path: '^(apps|libs|e2e|bench)/', pathNot: '^libs/(dev-stack|events|object-store|record)/' },
    },
    ...libraries.map(importsOnlyItsTags),
    {
      name: 'testing-only-in-tests',
      severity: 'error',
      from: { pathNot: `${test}|^libs/dev-stack/|^tools/|^bench/` },
      to: { path: '^(tools|e2e|libs/dev-stack|libs/testing|[^/]+/[^/]+/test)/' },
    },
    {
      name: 'demo-accounts-only-where-the-demo-is-the-subject',
      comment:
        'All test files share the accounts of the demo, so another file that submits with them changes what a test counts. Create an account with newContributor or newAdmin.',
      severity: 'error',
      from: {
        path: '^(e2e|clients)/',
        pathNot:
          '^e2e/((demo|docs-examples|openapi|own-data)\\.test\\.ts|(deploy|drills|faults)/|matrix/demo-import|pages/focus|support/drill-load)',
      },
      to: { path: '^e2e/support/demo-accounts' },
    },
    {
      name: 'minio-behind-one-library',
      comment: 'Import libs/object-store instead: it adds the deadlines and the upload handling that minio lacks.',
      severity: 'error',
      from: { path: '^(apps|libs)/[^/]+/src/|^tools/deploy/', pathNot: '^libs/object-store/' },
      to: { path: '(^|/)node_modules/minio/' },
    },
    {
      name: 'exceljs-behind-one-module',
      comment: 'exceljs is unmaintained; docs/decisions/0016-reading-workbooks.md names its replacement.',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/', pathNot: '^apps/export-svc/src/files/dated-workbook\\.ts$' },
      to: { path: '/exceljs/' },
    },
    {
      name: 'only-declared-packages',
      comment: 'Declare each imported package in the package.json of its workspace.',
      severity: 'error',
      from: { pathNot: '\\.mjs$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-development-packages-in-production',
      severity: 'error',
      // The packages of apps/web are bundled.
      from: { path: '^(apps|libs)/[^/]+/src/', pathNot: '^(libs/testing|apps/web)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'], pathNot: '/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(libs/proto/src/generated|apps/web/dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.d.ts'],
    },
  },
};
