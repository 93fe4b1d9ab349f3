import { describe, expect, test } from '@jest/globals';
import { matchesEntityTag, parseEntityTags } from '../../src/http/entity-tag.ts';

describe('parseEntityTags', () => {
  test.each([
    [undefined, undefined],
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['a']],
    ['W/"a"', ['a']],
    ['"a", "b"', ['a', 'b']],
    ['"a" ,\tW/"b","c"', ['a', 'b', 'c']],
    ['"a",, "b"', ['a', 'b']],
    ['""', ['']],
    ['"a,b"', ['a,b']],
    ['"\x80\xff"', ['\x80\xff']],
  ])('reads %p', (header, expected) => {
    expect(parseEntityTags(header)).toEqual(expected);
  });

  test.each(['', 'a', '"a', 'a"', '"a" "b"', '"a",', 'w/"a"', '"a", *', '"a b"', '"a\x7f"'])(
    'does not read %p',
    (header) => {
      expect(parseEntityTags(header)).toBeUndefined();
    },
  );

  test('takes linear time', () => {
    const started = process.cpuUsage();
    parseEntityTags(`"a"${' ,'.repeat(50_000)}x`);
    parseEntityTags(`"${'a'.repeat(100_000)}`);
    // Processor time, because other processes may run.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(3_000);
  });
});

test.each([
  [undefined, false],
  ['*', true],
  [['a'], true],
  [['b'], false],
  [[], false],
] as const)('%p matches the tag a: %p', (tags, expected) => {
  expect(matchesEntityTag(tags, 'a')).toBe(expected);
});
