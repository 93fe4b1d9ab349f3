import { expect, test } from '@jest/globals';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { contentText, duplicateText } from '../../src/records/content.ts';

const record: ExperimentData = {
  researchMetadata: { doi: '10.1000/abc', publicationTitle: 'One' },
  polymerProperty: { polymerComponents: [{ polymerName: 'PVA', weightRatio: 60 }, { polymerName: 'PEO' }] },
  needleProperty: { needleDefinition: { size: 22, unit: 'G' } },
};

test('the content text depends on everything but the order of members', () => {
  const { researchMetadata, ...rest } = record;
  const turned = { ...rest, researchMetadata, needleProperty: { needleDefinition: { unit: 'G', size: 22 } } };
  expect(contentText(turned as ExperimentData)).toBe(contentText(record));
  const components = record.polymerProperty?.polymerComponents?.toReversed() ?? [];
  expect(contentText({ ...record, polymerProperty: { polymerComponents: components } })).not.toBe(contentText(record));
  // A component without a name is not published, but is data.
  expect(contentText({ solventProperty: { solventComponents: [{ weight: 1 }] } })).not.toBe(contentText({}));
});

test('likely duplicates share DOI and values, not titles and images', () => {
  const same: ExperimentData = {
    ...record,
    researchMetadata: { doi: 'https://doi.org/10.1000/ABC.', publicationTitle: 'Two', deviceModel: 'X' },
    fiberImages: [{ imageId: '0190d2b0-0000-7000-8000-000000000001' }],
  };
  expect(duplicateText(same)).toBe(duplicateText(record));
  expect(duplicateText({ ...record, researchMetadata: { doi: '10.1000/abd' } })).not.toBe(duplicateText(record));
  expect(duplicateText({ ...record, solutionProperty: { pH: 7 } })).not.toBe(duplicateText(record));
});

test('without a DOI or without values, there is no duplicate text', () => {
  const { researchMetadata, ...values } = record;
  expect(duplicateText(values)).toBeUndefined();
  expect(duplicateText({ ...values, researchMetadata: { publicationTitle: 'One' } })).toBeUndefined();
  expect(duplicateText({ researchMetadata: researchMetadata ?? {} })).toBeUndefined();
});
