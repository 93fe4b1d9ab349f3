import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { publicRecordJson } from '../../src/catalog/public-record.ts';
import type { FieldDifference } from '../../src/catalog/record-difference.ts';
import { recordDifference } from '../../src/catalog/record-difference.ts';
import { complete, item, recordOf } from '../generated-records.ts';

type Holder = Record<string, unknown>;

/** Applies changes to `data` by path; shortened lists are cut at their end. */
function apply(data: ExperimentData, changes: readonly FieldDifference[]): unknown {
  const result: unknown = structuredClone(data);
  for (const { path, proposed } of changes.filter((change) => !('proposed' in change)).reverse()) {
    expect(proposed).toBeUndefined();
    const { parent, key } = parentOf(result, path);
    if (Array.isArray(parent)) parent.pop();
    else Reflect.deleteProperty(parent, key);
  }
  for (const { path, proposed } of changes.filter((change) => 'proposed' in change)) {
    const { parent, key } = parentOf(result, path);
    parent[key] = proposed;
  }
  return result;
}

/** Returns the parent of the last member of a path; creates missing groups and lists. */
function parentOf(root: unknown, path: string): { parent: Holder; key: string } {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop() ?? '';
  // Safe cast: each parent is an object or a list, and an index is also a key.
  const parent = keys.reduce((at, key, index) => {
    at[key] ??= /^\d+$/.test(keys[index + 1] ?? last) ? [] : {};
    return at[key] as Holder;
  }, root as Holder);
  return { parent, key: last };
}

/** Removes empty groups and lists, also in free objects. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withoutEmpty(one) ?? {});
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined && !(Array.isArray(member) && member.length === 0));
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

const data = fc.oneof(
  complete.map((record) => record.data),
  item.map((input) => recordOf(input).data),
);

test('applying the differences to the published record gives the proposed one', () => {
  fc.assert(
    fc.property(data, data, (published, proposed) => {
      const changes = recordDifference(published, proposed);
      expect(withoutEmpty(apply(published, changes))).toEqual(withoutEmpty(proposed));
      expect(new Set(changes.map(({ path }) => path)).size).toBe(changes.length);
    }),
    { numRuns: runs(200) },
  );
});

test('there are no differences if and only if the read forms are equal', () => {
  fc.assert(
    fc.property(complete, complete, ({ data: one }, { data: other }) => {
      expect(recordDifference(one, structuredClone(one))).toEqual([]);
      const same = publicRecordJson(1, one) === publicRecordJson(1, other);
      if (!same) expect(recordDifference(one, other)).not.toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

test('swapping the records swaps the sides of each difference', () => {
  fc.assert(
    fc.property(data, data, (published, proposed) => {
      const exchanged = recordDifference(proposed, published).map(({ path, ...sides }) => ({
        path,
        ...('proposed' in sides ? { published: sides.proposed } : {}),
        ...('published' in sides ? { proposed: sides.published } : {}),
      }));
      expect(recordDifference(published, proposed)).toEqual(exchanged);
    }),
    { numRuns: runs(100) },
  );
});

test('each difference has the path of its field', () => {
  const published: ExperimentData = {
    researchMetadata: { doi: '10.1000/a' },
    polymerProperty: { polymerComponents: [{ polymerName: 'PCL', weightRatio: 80 }, { polymerName: 'PVA' }] },
    needleProperty: { needleDefinition: { size: 22, unit: 'G' } },
    processParameter: { voltage: 12, voltageUnit: 'kV', instability: [{ category: 'jet', label: 'whipping' }] },
  };
  const proposed: ExperimentData = {
    polymerProperty: { polymerComponents: [{ polymerName: 'PCL', weightRatio: 70, weightRatioUnit: '%' }] },
    needleProperty: { needleDefinition: { unit: 'G', size: 22 } },
    processParameter: { voltage: 12000, voltageUnit: 'V', instability: [] },
    ambientParameter: { temperature: 25 },
  };
  expect(recordDifference(published, proposed)).toEqual([
    { path: 'researchMetadata.doi', published: '10.1000/a' },
    { path: 'polymerProperty.polymerComponents[0].weightRatio', published: 80, proposed: 70 },
    { path: 'polymerProperty.polymerComponents[0].weightRatioUnit', proposed: '%' },
    { path: 'polymerProperty.polymerComponents[1]', published: { polymerName: 'PVA' } },
    { path: 'processParameter.voltage', published: 12, proposed: 12000 },
    { path: 'processParameter.voltageUnit', published: 'kV', proposed: 'V' },
    { path: 'processParameter.instability', published: [{ category: 'jet', label: 'whipping' }], proposed: [] },
    { path: 'ambientParameter.temperature', proposed: 25 },
  ]);
});
