import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { documentFile, settingsDocument } from './settings-document.ts';
import { documentFile as metricsFile, metricsDocument } from './metrics-document.ts';

test('docs/settings.md is up to date (npm run docs:settings)', async () => {
  expect(readFileSync(documentFile, 'utf8')).toBe(await settingsDocument());
});

test('docs/metrics.md is up to date (npm run docs:metrics)', async () => {
  expect(readFileSync(metricsFile, 'utf8')).toBe(await metricsDocument());
});
