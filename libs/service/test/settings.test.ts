import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { documentFile, settingsDocument } from './settings-document.ts';

test('docs/settings.md is what the processes read (npm run docs:settings writes it)', async () => {
  expect(readFileSync(documentFile, 'utf8')).toBe(await settingsDocument());
});
