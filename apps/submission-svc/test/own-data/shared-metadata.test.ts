import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ResearchMetadata } from '@esd/record/catalog/catalog';
import { shareMetadata } from '../../src/own-data/shared-metadata.ts';

const word = fc.constantFrom('a', 'b');
const metadata: fc.Arbitrary<ResearchMetadata> = fc.record(
  { doi: word, publicationTitle: word, deviceModel: word, customDevice: fc.boolean() },
  { requiredKeys: [] },
);

test('all metadata of a single record is common', () => {
  expect(shareMetadata([{ doi: 'a' }])).toEqual({ common: { doi: 'a' }, own: [{}] });
});

test('metadata that one record lacks is not common', () => {
  expect(shareMetadata([{ doi: 'a', customDevice: true }, { customDevice: true }])).toEqual({
    common: { customDevice: true },
    own: [{ doi: 'a' }, {}],
  });
});

test('common and own metadata together equal the original, without repetition', () => {
  fc.assert(
    fc.property(fc.array(metadata, { maxLength: 5 }), (records) => {
      const { common, own } = shareMetadata(records);
      expect(own.map((part) => ({ ...common, ...part }))).toEqual(records);
      for (const part of own) for (const name of Object.keys(part)) expect(common).not.toHaveProperty(name);
    }),
  );
});
