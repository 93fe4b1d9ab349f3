import { writeFileSync } from 'node:fs';
import { pythonCatalog, pythonCatalogFile } from './python-catalog.ts';

writeFileSync(pythonCatalogFile, pythonCatalog());
