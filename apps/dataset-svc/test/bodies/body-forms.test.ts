import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { commaSeparated } from '../../src/bodies/body-forms.ts';

test('bodies are joined with commas', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 8 }), (bodies) => {
      const parts = bodies.map((body) => Buffer.from(body));
      expect(commaSeparated(parts).toString()).toBe(bodies.join(','));
    }),
  );
});
