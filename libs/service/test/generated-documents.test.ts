import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type Allowance, ALLOWANCES } from '@esd/api/allowances';
import { documentFile as limitsFile, limitsDocument } from './limits-document.ts';
import { documentFile, settingsDocument } from './settings-document.ts';
import { documentFile as metricsFile, metricsDocument } from './metrics-document.ts';

test('docs/settings.md is up to date (npm run docs:settings)', async () => {
  expect(readFileSync(documentFile, 'utf8')).toBe(await settingsDocument());
});

test('docs/metrics.md is up to date (npm run docs:metrics)', async () => {
  expect(readFileSync(metricsFile, 'utf8')).toBe(await metricsDocument());
});

test('docs/limits.md is up to date (npm run docs:limits)', async () => {
  expect(readFileSync(limitsFile, 'utf8')).toBe(await limitsDocument());
});

test('the default of a setting is the amount of its allowance', async () => {
  const document = await settingsDocument();
  const sections: Record<string, Record<string, Allowance>> = ALLOWANCES;
  for (const { setting, amount } of Object.values(sections).flatMap((rows) => Object.values(rows))) {
    if (setting !== undefined) expect(document).toMatch(new RegExp(`\\| \`${setting}\` +\\| \`${amount}\` `));
  }
});
