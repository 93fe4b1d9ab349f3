import { describe, expect, test } from '@jest/globals';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import type { SubmissionCheck } from '../../src/validate/validate-submission.ts';
import { references } from '../seed-lists.ts';

const polymerProperty = { polymerComponents: [{ polymerName: 'PCL' }] };
const imageId = '0197a0b0-0000-7000-8000-00000000000a';

const check = (input: unknown): SubmissionCheck => validateSubmission(input, references, { userMetadata: 'optional' });
const checkItem = (item: unknown): SubmissionCheck => check({ experimentData: [item] });
const parsed = (text: string): unknown => JSON.parse(text);

/** Returns a valid record of exactly `bytes` bytes of JSON. */
function recordOfBytes(bytes: number): object {
  let left = bytes - JSON.stringify({ polymerProperty, fiberImages: [] }).length + 1;
  const fiberImages: object[] = [];
  while (left > 0) {
    const rest = left - JSON.stringify({ imageId, imageDefinition: { a: '', b: '' } }).length - 1;
    // Leaves space for one more image, which takes the remaining bytes.
    const text = rest <= 4_000 ? rest : Math.min(4_000, rest - 500);
    const half = Math.floor(text / 2);
    fiberImages.push({ imageId, imageDefinition: { a: 'x'.repeat(half), b: 'x'.repeat(text - half) } });
    left = rest - text;
  }
  return { polymerProperty, fiberImages };
}

test('a record of the maximum size is valid; with one more byte, it is not', () => {
  const largest = recordOfBytes(262_144);
  expect(JSON.stringify(largest)).toHaveLength(262_144);
  expect(checkItem(largest).problems).toEqual([]);
  expect(checkItem(recordOfBytes(262_145)).problems.map(({ code }) => code)).toEqual(['RECORD_TOO_LARGE']);
});

test('the size of a record is the length of its compact JSON in UTF-8', () => {
  const { problems } = checkItem({ ...recordOfBytes(262_000), 'é"\n\ud800': '😀'.repeat(1_000) });
  const message = problems.find(({ code }) => code === 'RECORD_TOO_LARGE')?.message;
  // Two quotes, é, an escaped quote and line feed, a lone surrogate as an escape, colon, comma; four bytes for each 😀.
  expect(message).toContain(`this one has ${262_000 + 2 + 2 + 2 + 2 + 6 + 2 + 4_002}, of which \`fiberImages\` takes`);
});

test('a record of thousands of levels is too deep', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 30_000; i++) deep = [deep];
  expect(checkItem({ needleProperty: { needleDefinition: { deep } } }).problems).toMatchObject([
    {
      code: 'TOO_DEEP',
      message: 'The record is nested too deeply; its free members may have at most 4 levels.',
    },
  ]);
});

describe('hostile bodies', () => {
  test.each<[string, () => unknown]>([
    ['300,000 unknown members', () => parsed(`{${Array.from({ length: 300_000 }, (_, i) => `"m${i}":1`).join()}}`)],
    [
      '1,000 unknown members of 10 KB',
      () => Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${i}${'x'.repeat(10_000)}`, 1])),
    ],
    [
      '100,000 components',
      () => ({
        polymerProperty: { polymerComponents: Array.from({ length: 100_000 }, () => ({ polymerName: 'PCLX' })) },
      }),
    ],
    ['one name of 10 MB', () => ({ polymerProperty: { polymerComponents: [{ polymerName: 'é'.repeat(5_000_000) }] } })],
    [
      '300,000 free members',
      () => ({
        needleProperty: {
          needleDefinition: Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`${i}Unit`, 'x'])),
        },
      }),
    ],
    [
      'a depth of 100,000',
      () => {
        let deep: unknown = 1;
        for (let i = 0; i < 100_000; i++) deep = { a: deep };
        return { needleProperty: { needleDefinition: deep } };
      },
    ],
  ])('%s', (_title, make) => {
    const item = make();
    const { problems, problemCount, submission } = checkItem(item);
    expect(submission).toBeUndefined();
    expect(problemCount).toBeGreaterThan(0);
    expect(problems).toHaveLength(Math.min(1_000, problemCount));
    expect(JSON.stringify(problems).length).toBeLessThan(1_000_000);
  });

  test('1,000 records with mistyped names give a bounded response quickly', () => {
    const item = {
      polymerProperty: {
        polymerComponents: Array.from({ length: 30 }, (_, i) => ({ polymerName: `polycaprolactnoe${i}` })),
      },
    };
    const started = process.cpuUsage();
    const { problems, problemCount } = check({ experimentData: Array.from({ length: 1_000 }, () => item) });
    expect([problems.length, problemCount]).toEqual([1_000, 30_000]);
    // Processor time, because other processes may run.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
  });

  test('no body pollutes a prototype', () => {
    const text =
      '{"experimentData":[{"__proto__":{"a":1},"needleProperty":{"__proto__":{"a":1},"needleDefinition":{"__proto__":{"a":1},"x":1}}}],"__proto__":{"a":1}}';
    expect(check(parsed(text)).problemCount).toBe(4);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});
