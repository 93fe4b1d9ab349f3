/** Writes the catalog file of the Python client. */
import { writeFileSync } from 'node:fs';
import { pythonCatalog, pythonCatalogFile } from './python-catalog.ts';

writeFileSync(pythonCatalogFile, pythonCatalog());
