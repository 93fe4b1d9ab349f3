import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { networkOf, ORIGIN_DAYS, originsBy } from '../../src/origin/origin.ts';

const KEY = 'k'.repeat(32);
const DAY_MS = 86_400_000;
const moments = fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });

test('the origins of today match everything stored within 90 days', () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: 0, max: ORIGIN_DAYS * DAY_MS }), (now, agoMs) => {
      const [stored] = originsBy(KEY)('network 192.0.2.0/24', new Date(now.getTime() - agoMs));
      const origins = originsBy(KEY)('network 192.0.2.0/24', now);
      expect(origins).toContain(stored);
      expect(new Set(origins).size).toBe(origins.length);
      expect(origins.length).toBeLessThanOrEqual(5);
    }),
  );
});

test('the origin depends on month, sender, and key', () => {
  const at = (sender: string, date: string, key = KEY) => originsBy(key)(sender, new Date(date))[0];
  const origin = at('a', '2026-03-31T23:59:59Z');
  expect(origin).toMatch(/^[\w-]{22}$/);
  expect(at('a', '2026-03-01')).toBe(origin);
  const others = [
    at('a', '2026-04-01'),
    at('a', '2027-03-01'),
    at('b', '2026-03-01'),
    at('a', '2026-03-01', `${KEY}x`),
  ];
  expect(new Set([origin, ...others]).size).toBe(5);
});

test.each([
  ['192.0.2.7', '192.0.2.200', true],
  ['192.0.2.7', '::ffff:192.0.2.8', true],
  ['192.0.2.7', '192.0.3.7', false],
  ['2001:db8:1:2::3', '2001:db8:1:ffff::', true],
  ['2001:db8:1:2::3', '2001:db8:2:2::3', false],
])('%s and %s are in one network: %s', (one, other, same) => {
  expect(networkOf(one) === networkOf(other)).toBe(same);
});
