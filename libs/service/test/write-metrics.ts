import { writeFileSync } from 'node:fs';
import { documentFile, metricsDocument } from './metrics-document.ts';

writeFileSync(documentFile, await metricsDocument());
