import { expect, test } from '@jest/globals';
import { runs } from '@esd/testing/property-runs';
import fc from 'fast-check';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { parsePublicRecord, publicRecordJson } from '../../src/catalog/public-record.ts';
import { repeatText } from '../../src/catalog/repeat-text.ts';
import { demoRecords } from '../demo-records.ts';
import { complete } from '../generated-records.ts';

const DOI = '10.1016/j.jafr.2019.100015';
const withDoi = (data: ExperimentData, doi = DOI): ExperimentData => ({
  ...data,
  researchMetadata: { ...data.researchMetadata, doi },
});

test('161 records of the demo repeat an earlier one, in 22 groups', () => {
  const texts = demoRecords.flatMap((record) => repeatText(record) ?? []);
  const repeated = [...Map.groupBy(texts, (text) => text).values()].filter(({ length }) => length > 1);
  expect([repeated.length, repeated.flat().length - repeated.length]).toEqual([22, 161]);
});

/** Reverses all lists and the members of all objects. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed).reverse();
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.reverse());
}

test('order, spelling of the DOI, title and images do not matter, also in the published form', () => {
  fc.assert(
    fc.property(complete, ({ data }) => {
      const own = withDoi(data);
      const text = repeatText(own);
      expect(text).toBeDefined();
      // Safe cast: only the order differs.
      expect(repeatText(reversed(own) as ExperimentData)).toBe(text);
      expect(repeatText(withDoi(data, `https://doi.org/${DOI.toUpperCase()}`))).toBe(text);
      expect(repeatText(parsePublicRecord(publicRecordJson(7, own)).data)).toBe(text);
      const other = { ...own, fiberImages: [{ imageId: 'another' }] };
      expect(repeatText({ ...other, researchMetadata: { ...own.researchMetadata, publicationTitle: 'T' } })).toBe(text);
    }),
    { numRuns: runs(30) },
  );
});

test('any other published difference matters', () => {
  fc.assert(
    fc.property(complete, complete, ({ data: one }, { data: other }) => {
      const formOf = (data: ExperimentData) => {
        const { fiberImages: _, researchMetadata, ...members } = data;
        const { publicationTitle: __, ...metadata } = { ...researchMetadata };
        return publicRecordJson(1, withDoi({ ...members, researchMetadata: metadata }));
      };
      if (formOf(one) === formOf(other)) return;
      // The generated lists are short, so equal records in another order are unlikely.
      expect(repeatText(withDoi(one)) === repeatText(withDoi(other))).toBe(false);
    }),
    { numRuns: runs(30) },
  );
});

test.each<[ExperimentData, ExperimentData]>([
  [
    { processParameter: { voltage: 12_000, voltageUnit: 'V' } },
    { processParameter: { voltage: 12, voltageUnit: 'kV' } },
  ],
  [{ processParameter: { voltage: 12 } }, { processParameter: { voltage: 12, voltageUnit: 'kV' } }],
  [{}, { fiberProperty: { isFormationStable: false } }],
  [{}, { researchMetadata: { deviceModel: 'X' } }],
])('values are compared as published: %j and %j', (one, other) => {
  expect(repeatText(withDoi(one))).not.toBe(repeatText(withDoi(other)));
});

test.each([undefined, '', ' ', 'https://doi.org/'])('a record with the DOI %p repeats no other one', (doi) => {
  expect(repeatText({ researchMetadata: doi === undefined ? {} : { doi } })).toBeUndefined();
});

test('a paper without a DOI is compared by its own text', () => {
  const texts = ['https://example.org/A', ' https://example.org/A ', 'https://example.org/a'].map((doi) =>
    repeatText(withDoi({}, doi)),
  );
  expect(texts[0]).toBe(texts[1]);
  expect(texts[2]).not.toBe(texts[0]);
});
