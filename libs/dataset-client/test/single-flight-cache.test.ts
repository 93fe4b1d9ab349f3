import { expect, test } from '@jest/globals';
import { singleFlightCache } from '../src/single-flight-cache.ts';

test('concurrent callers share a value, which is cached until newer ones displace it', async () => {
  const cached = singleFlightCache<string>(2);
  let made = 0;
  const make = (): Promise<string> => Promise.resolve(`value ${(made += 1)}`);
  expect(await Promise.all([cached('a', make), cached('a', make)])).toEqual(['value 1', 'value 1']);
  await cached('b', make);
  expect(await cached('a', make)).toBe('value 1');
  await cached('c', make);
  expect(await cached('b', make)).toBe('value 4');
});

test('a failed value is computed again', async () => {
  const cached = singleFlightCache<string>(2);
  const fails = cached('a', () => Promise.reject(new Error('unavailable')));
  await expect(cached('a', () => Promise.resolve('not called'))).rejects.toThrow('unavailable');
  await expect(fails).rejects.toThrow('unavailable');
  expect(await cached('a', () => Promise.resolve('there'))).toBe('there');
});
