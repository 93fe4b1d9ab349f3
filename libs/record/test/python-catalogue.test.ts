import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { pythonCatalogue, pythonCatalogueFile } from './python-catalogue.ts';

test('the Python client has the catalogue as it is now (npm run generate:python)', () => {
  expect(readFileSync(pythonCatalogueFile, 'utf8')).toBe(pythonCatalogue());
});
