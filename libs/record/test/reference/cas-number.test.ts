import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isCasNumber } from '../../src/reference/cas-number.ts';

// Poly(vinyl alcohol), water, ethanol, caffeine, chitosan.
test.each(['9002-89-5', '7732-18-5', '64-17-5', '58-08-2', '9012-76-4'])('%s is a CAS number', (text) => {
  expect(isCasNumber(text)).toBe(true);
});

test.each([
  '',
  '9002-89-4',
  '9002895',
  '9002-89',
  '9002-8-95',
  '0064-17-5',
  ' 64-17-5',
  '64-17-5\n',
  '64–17–5',
  '٦٤-١٧-٥',
])('%p is not a CAS number', (text) => {
  expect(isCasNumber(text)).toBe(false);
});

test('exactly one of ten check digits is valid', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 9_999_999 }), fc.integer({ min: 0, max: 99 }), (first, second) => {
      const stem = `${first}-${String(second).padStart(2, '0')}`;
      const right = Array.from({ length: 10 }, (_, digit) => `${stem}-${digit}`).filter(isCasNumber);
      expect(right).toHaveLength(1);
    }),
  );
});
