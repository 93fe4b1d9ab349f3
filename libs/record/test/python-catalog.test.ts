import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { pythonCatalog, pythonCatalogFile } from './python-catalog.ts';

test('the catalog of the Python client is up to date (npm run generate:python)', () => {
  expect(readFileSync(pythonCatalogFile, 'utf8')).toBe(pythonCatalog());
});
