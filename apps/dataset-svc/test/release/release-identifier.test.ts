import { expect, test } from '@jest/globals';
import { isReleaseIdentifier } from '../../src/release/release-input.ts';

test.each(['v0.0.1', 'v1.0.0', 'v10.20.30', 'v1.0.0-rc.1', 'v1.0.0-alpha', 'v1.0.0-0.x-y'])(
  '%s is a release identifier',
  (text) => {
    expect(isReleaseIdentifier(text)).toBe(true);
  },
);

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
])('"%s" is not a release identifier', (text) => {
  expect(isReleaseIdentifier(text)).toBe(false);
});
