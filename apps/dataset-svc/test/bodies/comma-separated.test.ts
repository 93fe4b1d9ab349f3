import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { commaSeparated } from '../../src/bodies/comma-separated.ts';

test('bodies have a comma between two, wherever they lie in memory', () => {
  const texts = fc.array(fc.string({ minLength: 1 }), { maxLength: 8 });
  fc.assert(
    fc.property(texts, fc.constantFrom(',', ';', '', ',,'), fc.boolean(), (bodies, between, areReversed) => {
      const row = Buffer.from(bodies.join(between));
      let end = 0;
      const parts = bodies.map((body) => {
        const start = end;
        end = start + Buffer.byteLength(body) + between.length;
        return row.subarray(start, start + Buffer.byteLength(body));
      });
      const [given, wanted] = areReversed ? [parts.toReversed(), bodies.toReversed()] : [parts, bodies];
      expect(commaSeparated(given).toString()).toBe(wanted.join(','));
    }),
  );
});

test('bodies in a row with commas are not copied', () => {
  const row = Buffer.from('[{"a":1},{"b":2}]');
  const joined = commaSeparated([row.subarray(1, 8), row.subarray(9, 16)]);
  expect(joined.toString()).toBe('{"a":1},{"b":2}');
  expect(joined.buffer).toBe(row.buffer);
});
