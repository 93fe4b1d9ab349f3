/** Writes what the Python client knows of records without asking a service. */
import { writeFileSync } from 'node:fs';
import { pythonCatalog, pythonCatalogFile } from './python-catalog.ts';

writeFileSync(pythonCatalogFile, pythonCatalog());
