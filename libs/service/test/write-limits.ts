import { writeFileSync } from 'node:fs';
import { documentFile, limitsDocument } from './limits-document.ts';

writeFileSync(documentFile, await limitsDocument());
