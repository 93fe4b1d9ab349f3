import { expect, test } from '@jest/globals';
import { loggedUrl } from '../../src/http/access-log.ts';

test.each([
  ['/a', '/a'],
  ['/a?skip=1&limit=2', '/a?skip=1&limit=2'],
  ['/auth/verify-email?token=abc', '/auth/verify-email?token=[secret]'],
  ['/a?x=1&TOKEN=abc=d&y=2', '/a?x=1&TOKEN=[secret]&y=2'],
  ['/a?%74oken=abc', '/a?%74oken=[secret]'],
  ['/a?refreshToken=abc', '/a?refreshToken=[secret]'],
  ['/a?password=abc', '/a?password=[secret]'],
  ['/a?%zz=abc', '/a?[malformed]'],
  ['/a??token=abc', '/a??token=[secret]'],
])('%s is logged as %s', (url, expected) => {
  expect(loggedUrl(url)).toBe(expected);
});
