import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { publicRecordJson } from '../../src/catalog/public-record.ts';
import { complete, item, recordOf } from '../generated-records.ts';

test('the read form can be submitted: validation gives the same data and the same text', () => {
  fc.assert(
    fc.property(complete, fc.integer({ min: 1, max: 2 ** 31 }), ({ data }, id) => {
      const text = publicRecordJson(id, data);
      const again = recordOf(JSON.parse(text));
      // An empty component next to a named one is not published.
      const components = data.polymerProperty?.polymerComponents?.filter((c) => c.polymerName !== undefined) ?? [];
      expect(again.data).toEqual({ ...data, polymerProperty: { polymerComponents: components } });
      expect(publicRecordJson(id, again.data)).toBe(text);
      expect(again.missingFields).toEqual([]);
    }),
    { numRuns: runs(1_000) },
  );
});

test('the read form has no null, no empty group and no unnamed component', () => {
  const check = (value: unknown): void => {
    expect(value).not.toBeNull();
    if (typeof value !== 'object' || value === null) return;
    expect(Object.keys(value).length).toBeGreaterThan(0);
    Object.values(value).forEach(check);
  };
  fc.assert(
    fc.property(item, (input) => {
      const { data } = recordOf(input);
      // Safe cast: another test checks the type of the data.
      const record = JSON.parse(publicRecordJson(7, data)) as ExperimentData;
      check(record);
      for (const c of record.polymerProperty?.polymerComponents ?? []) expect(c.polymerName).toBeDefined();
      for (const c of record.solventProperty?.solventComponents ?? []) expect(c.solventName).toBeDefined();
      expect(Object.keys(record).slice(0, 2)).toEqual(['recordId', 'experimentId']);
    }),
    { numRuns: runs(500) },
  );
});

test('the read form does not depend on the member order of the data', () => {
  const reverseMembers = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reverseMembers);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([k, v]) => [k, reverseMembers(v)]),
    );
  };
  fc.assert(
    fc.property(complete, ({ data }) => {
      // Safe cast: reversing keeps every member.
      const reversed = reverseMembers(data) as ExperimentData;
      expect(publicRecordJson(1, reversed)).toBe(publicRecordJson(1, data));
    }),
    { numRuns: runs(300) },
  );
});

test('the read form of one record has an exact text', () => {
  const { data } = recordOf({
    functionalProperty: { porosity: 80, porosityUnit: '%', permeabilityUnit: 'darcy', surfaceAreaUnit: 'm2/g' },
    mechanicalProperty: { modulusUnit: 'GPa', modulus: 1.5 },
    needleProperty: { needleDefinition: { unit: 'G', size: 22 }, needleType: 'single' },
    polymerProperty: { polymerComponents: [{ polymerName: 'polycaprolactone' }, {}] },
    researchMetadata: { doi: 'doi:10.1234/ABC' },
    collectorProperty: {},
  });
  expect(publicRecordJson(12, data)).toBe(
    '{"recordId":12,"experimentId":12,"researchMetadata":{"doi":"doi:10.1234/ABC"},' +
      '"polymerProperty":{"polymerComponents":[{"polymerName":"PCL"}]},' +
      '"needleProperty":{"needleType":"single","needleDefinition":{"size":22,"unit":"G"}},' +
      '"mechanicalProperty":{"modulus":1.5,"modulusUnit":"GPa","modulus_unit":"GPa"},' +
      '"functionalProperty":{"surfaceAreaUnit":"m²/g","porosity":80,"porosityUnit":"%","porosity_unit":"%",' +
      '"permeabilityUnit":"darcy","permeability_unit":"darcy"}}',
  );
});
