import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { categoryValue } from '@esd/record/filter/category-values';
import { termMatcher } from '@esd/record/filter/text-terms';
import { openTermDictionary } from '../../src/read-index/term-dictionary.ts';
import { noLists as references } from './plain-rows.ts';

const term = fc.string({ unit: fc.constantFrom('a', 'B', 'ab', '1', '/', ' '), minLength: 1, maxLength: 5 });
const part = fc.string({ unit: fc.constantFrom('a', 'b', '1', '/'), minLength: 1, maxLength: 3 });

test('a text finds the sets that match, including sets added since the last search', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('doi', 'fractureBehaviour', 'collectorType'),
      fc.array(fc.array(fc.array(term, { minLength: 1, maxLength: 3 }), { maxLength: 5 }), { maxLength: 4 }),
      part,
      fc.uniqueArray(term, { minLength: 1, maxLength: 3 }),
      (key, steps, text, values) => {
        const dictionary = openTermDictionary();
        const condition = { kind: 'text', key, text } as const;
        const all: { id: number; terms: string[] }[] = [];
        for (const step of steps) {
          const added = step.map((terms, at) => ({ id: all.length + at + 1, terms }));
          all.push(...added);
          dictionary.add(added.map(({ id, terms }) => ({ id, field: key, terms: JSON.stringify(terms) })));
          const plain = all.filter(({ terms }) => terms.some(termMatcher(condition, references)));
          expect([...dictionary.matching(condition, references)]).toEqual(plain.map(({ id }) => id));
          const equal = all.filter(({ terms }) =>
            terms.some((one) => values.includes(categoryValue(key, one, references))),
          );
          const exact = { kind: 'values', key, values } as const;
          expect([...dictionary.withValues(exact, references)]).toEqual(equal.map(({ id }) => id));
        }
        expect(dictionary.lastId()).toBe(all.length);
      },
    ),
  );
});

test('a separator finds nothing', () => {
  const dictionary = openTermDictionary();
  dictionary.add([{ id: 1, field: 'doi', terms: '["10.1/a"]' }]);
  expect([...dictionary.matching({ kind: 'text', key: 'doi', text: 'a\0' }, references)]).toEqual([]);
});
