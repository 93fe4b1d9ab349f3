import { expect, test } from '@jest/globals';
import { isVersionIdentifier } from '../src/metadata/version-identifier.ts';

test.each(['v0.0.1', 'v1.0.0', 'v10.20.30', 'v1.0.0-rc.1', 'v1.0.0-alpha', 'v1.0.0-0.x-y'])('%s is one', (text) => {
  expect(isVersionIdentifier(text)).toBe(true);
});

test.each([
  '',
  '1.0.0',
  'v1',
  'v1.0',
  'v1.0.0.0',
  'v01.0.0',
  'v1.0.0-',
  'v1.0.0-01',
  'v1.0.0-a..b',
  'v1.0.0+b',
  ' v1.0.0',
])('"%s" is none', (text) => {
  expect(isVersionIdentifier(text)).toBe(false);
});
