/** Writes what the Python client knows of records without asking a service. */
import { writeFileSync } from 'node:fs';
import { pythonCatalogue, pythonCatalogueFile } from './python-catalogue.ts';

writeFileSync(pythonCatalogueFile, pythonCatalogue());
