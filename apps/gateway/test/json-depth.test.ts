import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scanJsonDepth } from '../src/json-depth.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** JSON values up to 12 deep, whose strings are full of what a scan could trip over. */
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 12, withCrossShrink: true },
    fc.oneof(fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', 'é', '😀', '\n', 'a') }), fc.double()),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ unit: fc.constantFrom('"', '\\', '{', 'a') }), tie('value'), { maxKeys: 3 }),
  ),
}));

const bytesOf = (value: unknown, indent = 0): Buffer => Buffer.from(JSON.stringify(value, undefined, indent));

describe('scanJsonDepth', () => {
  test('agrees with a recursive count', () => {
    fc.assert(
      fc.property(anyValue, fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 2 }), (value, limit, indent) => {
        const expected = depthOf(value) > limit ? 'too deep' : 'fits';
        expect(scanJsonDepth(bytesOf(value, indent), limit)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('sees that a text in brackets was cut off, wherever that is', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, at) => {
        const bytes = bytesOf([value]);
        expect(scanJsonDepth(bytes.subarray(0, 1 + (at % (bytes.length - 1))), 20)).toBe('cut off');
      }),
      { numRuns: 2_000 },
    );
  });

  test('20 levels fit, 21 do not', () => {
    expect(scanJsonDepth(Buffer.from('['.repeat(20) + ']'.repeat(20)), 20)).toBe('fits');
    expect(scanJsonDepth(Buffer.from('['.repeat(21) + ']'.repeat(21)), 20)).toBe('too deep');
  });

  test('a million levels cost no stack', () => {
    expect(scanJsonDepth(Buffer.alloc(1_000_000, '['), 2_000_000)).toBe('cut off');
  });
});
