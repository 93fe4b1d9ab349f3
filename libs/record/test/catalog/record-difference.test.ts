import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { publicRecordJson } from '../../src/catalog/public-record.ts';
import type { FieldDifference } from '../../src/catalog/record-difference.ts';
import { recordDifference } from '../../src/catalog/record-difference.ts';
import { complete, item, recordOf } from '../generated-records.ts';

type Holder = Record<string, unknown>;

/** `data` after the changes, made by their paths alone; lists that a change shortens are cut at their end. */
function apply(data: ExperimentData, changes: readonly FieldDifference[]): unknown {
  const result: unknown = structuredClone(data);
  // From the end, so that the items of a list go the last first.
  for (const { path, proposed } of changes.filter((change) => !('proposed' in change)).reverse()) {
    expect(proposed).toBeUndefined();
    const { holder, key } = holderOf(result, path);
    if (Array.isArray(holder)) holder.pop();
    else Reflect.deleteProperty(holder, key);
  }
  for (const { path, proposed } of changes.filter((change) => 'proposed' in change)) {
    const { holder, key } = holderOf(result, path);
    holder[key] = proposed;
  }
  return result;
}

/** What holds the last member of a path; groups and lists on the way are made where they are not there. */
function holderOf(root: unknown, path: string): { holder: Holder; key: string } {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop() ?? '';
  // Every holder on the way is an object or a list; an index is a key like any other.
  const holder = keys.reduce((at, key, index) => {
    at[key] ??= /^\d+$/.test(keys[index + 1] ?? last) ? [] : {};
    return at[key] as Holder;
  }, root as Holder);
  return { holder, key: last };
}

/** Without groups and lists that are empty, which say nothing, in free objects too. */
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

test('the differences, applied to the published record, give the proposed one', () => {
  fc.assert(
    fc.property(data, data, (published, proposed) => {
      const changes = recordDifference(published, proposed);
      expect(withoutEmpty(apply(published, changes))).toEqual(withoutEmpty(proposed));
      expect(new Set(changes.map(({ path }) => path)).size).toBe(changes.length);
    }),
    { numRuns: runs(200) },
  );
});

test('there is none exactly where the read form is the same', () => {
  fc.assert(
    fc.property(complete, complete, ({ data: one }, { data: other }) => {
      expect(recordDifference(one, structuredClone(one))).toEqual([]);
      const same = publicRecordJson(1, one) === publicRecordJson(1, other);
      if (!same) expect(recordDifference(one, other)).not.toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

test('the way back is the same with sides exchanged', () => {
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

test('each is named by its place in the catalog', () => {
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
