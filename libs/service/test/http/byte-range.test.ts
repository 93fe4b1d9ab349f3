import { expect, test } from '@jest/globals';
import { readByteRange, UnsatisfiableRange } from '../../src/http/byte-range.ts';

const BYTES = 100;
const TAG = 'tag';

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['Bytes= 5-5 ', { start: 5, end: 5 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  // RFC 9110 §14.1.2: a suffix longer than the content means all of it.
  ['bytes=-1000', { start: 0, end: 99 }],
  // §14.2: an invalid range is ignored.
  ['bytes=9-0', undefined],
  ['bytes=-', undefined],
  ['bytes=a-b', undefined],
  ['lines=0-9', undefined],
  ['bytes=0-1,5-6', undefined],
])('%s of 100 bytes is %p', (range, expected) => {
  expect(readByteRange({ range }, BYTES, TAG)).toEqual(expected);
});

test.each(['bytes=100-', 'bytes=-0', 'bytes=1000-2000'])('%s of 100 bytes cannot be satisfied', (range) => {
  expect(() => readByteRange({ range }, BYTES, TAG)).toThrow(UnsatisfiableRange);
});

test('If-Range applies a range only for the same strong entity tag', () => {
  const rangeIf = (condition: string) => readByteRange({ range: 'bytes=0-0', 'if-range': condition }, BYTES, TAG);
  expect(rangeIf('"tag"')).toEqual({ start: 0, end: 0 });
  for (const condition of ['"other"', 'W/"tag"', 'Thu, 01 Jan 2026 00:00:00 GMT']) {
    expect(rangeIf(condition)).toBeUndefined();
  }
});
