import { describe, expect, test } from '@jest/globals';
import { demoSubmissions } from '@esd/testing/demo';
import fc from 'fast-check';
import { z } from 'zod';
import { runs } from '@esd/testing/property-runs';
import { SUBMISSION_MEMBERS } from '../../../src/http/body/json-body.ts';
import { scanJson } from '../../../src/http/body/json-scan.ts';

const MEGABYTE = 1024 * 1024;
const ANY = 1_000_000_000;

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Counts the members and items of a value, and its arrays and objects. */
function sizeOf(value: unknown): { members: number; containers: number } {
  if (typeof value !== 'object' || value === null) return { members: 0, containers: 0 };
  const inner = Object.values(value).map(sizeOf);
  return {
    members: inner.reduce((sum, { members }) => sum + members, inner.length),
    containers: inner.reduce((sum, { containers }) => sum + containers, 1),
  };
}

/** JSON values with up to 12 levels, and with strings that could confuse a scan. */
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 12, withCrossShrink: true },
    fc.oneof(fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', 'é', '😀', '\n') }), fc.double()),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ unit: fc.constantFrom('"', '\\', '{', 'a') }), tie('value'), { maxKeys: 3 }),
  ),
}));

const bytesOf = (value: unknown, indent = 0): Buffer => Buffer.from(JSON.stringify(value, undefined, indent));

describe('scanJson', () => {
  test('counts the same levels as a recursive count', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, fc.nat(12), fc.nat(2), async (value, levels, indent) => {
        const expected = depthOf(value) > levels ? 'too deep' : 'fits';
        expect(await scanJson(bytesOf(value, indent), { levels, members: ANY })).toBe(expected);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('counts at least the members of a recursive count, and at most one more per array and object', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, fc.nat(2), async (value, indent) => {
        const { members, containers } = sizeOf(value);
        const bytes = bytesOf(value, indent);
        expect(await scanJson(bytes, { levels: 20, members: members + containers })).toBe('fits');
        if (members > 0) expect(await scanJson(bytes, { levels: 20, members: members - 1 })).toBe('too many members');
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('detects a text that is cut off at any position', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, fc.nat(), async (value, at) => {
        const bytes = bytesOf([value]);
        const part = bytes.subarray(0, 1 + (at % (bytes.length - 1)));
        expect(await scanJson(part, { levels: 20, members: ANY })).toBe('cut off');
      }),
      { numRuns: runs(1_000) },
    );
  });

  test.each(['"', '\\"', '\\', '\\\\', '[', 'é'])('reads %j across the boundary of a chunk', async (text) => {
    for (const shift of [0, 1, 2, 3]) {
      const value = [`${'a'.repeat(MEGABYTE - 2 - shift)}${text}]}{[`, [1]];
      expect(await scanJson(bytesOf(value), { levels: 2, members: 4 })).toBe('fits');
      expect(await scanJson(bytesOf(value), { levels: 1, members: 4 })).toBe('too deep');
    }
  });

  test('accepts 20 levels and rejects 21', async () => {
    const limits = { levels: 20, members: ANY };
    expect(await scanJson(Buffer.from('['.repeat(20) + ']'.repeat(20)), limits)).toBe('fits');
    expect(await scanJson(Buffer.from('['.repeat(21) + ']'.repeat(21)), limits)).toBe('too deep');
  });

  test('needs no stack for a million levels', async () => {
    expect(await scanJson(Buffer.alloc(1_000_000, '['), { levels: 2_000_000, members: ANY })).toBe('cut off');
  });
});

test('1,000 records of five times the size of the largest demo record stay below the limit of members', async () => {
  const body = z.object({ experimentData: z.array(z.unknown()) });
  const records = demoSubmissions.flatMap((submission) => body.parse(submission).experimentData);
  const largest = Math.max(...records.map(sizeOf).map(({ members, containers }) => members + containers));
  expect(largest * 1_000 * 5).toBeLessThan(SUBMISSION_MEMBERS);
});
