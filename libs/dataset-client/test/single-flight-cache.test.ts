import { expect, test } from '@jest/globals';
import { singleFlightCache } from '../src/single-flight-cache.ts';

test('concurrent callers share a value, which is cached until newer ones displace it', async () => {
  const kept = singleFlightCache<string>(2);
  let made = 0;
  const make = (): Promise<string> => Promise.resolve(`value ${(made += 1)}`);
  expect(await Promise.all([kept('a', make), kept('a', make)])).toEqual(['value 1', 'value 1']);
  await kept('b', make);
  expect(await kept('a', make)).toBe('value 1');
  await kept('c', make);
  expect(await kept('b', make)).toBe('value 4');
});

test('a failed value is computed again', async () => {
  const kept = singleFlightCache<string>(2);
  const fails = kept('a', () => Promise.reject(new Error('away')));
  await expect(kept('a', () => Promise.resolve('not asked'))).rejects.toThrow('away');
  await expect(fails).rejects.toThrow('away');
  expect(await kept('a', () => Promise.resolve('there'))).toBe('there');
});
