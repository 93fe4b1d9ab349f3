import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { pythonCatalog, pythonCatalogFile } from './python-catalog.ts';

test('the Python client has the catalog as it is now (npm run generate:python)', () => {
  expect(readFileSync(pythonCatalogFile, 'utf8')).toBe(pythonCatalog());
});
