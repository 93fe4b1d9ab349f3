import { writeFileSync } from 'node:fs';
import { documentFile, settingsDocument } from './settings-document.ts';

writeFileSync(documentFile, await settingsDocument());
