import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recordFields } from '../src/catalogue.ts';
import type { ExperimentData, Field, Fields } from '../src/catalogue.ts';
import { publicRecordJson } from '../src/public-record.ts';
import { validateSubmission } from '../src/validate-submission.ts';
import type { CheckedRecord } from '../src/validate-submission.ts';
import { references, seedLists } from './seed-lists.ts';

const recordOf = (item: unknown): CheckedRecord => {
  const { problems, submission } = validateSubmission({ experimentData: [item] }, references, {
    userMetadata: 'optional',
  });
  expect(problems).toEqual([]);
  const [record] = submission?.records ?? [];
  if (record === undefined) throw new Error('no record');
  return record;
};

const words = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', ' ', '"', '\\', '-', '=', '\n'), maxLength: 12 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const spelling = (list: 'polymers' | 'solvents' | 'units'): string[] =>
  seedLists[list].flatMap((e) => ['unit' in e ? e.unit : e.name, ...e.aliases]);
const label = (list: 'morphologies' | 'instabilities'): fc.Arbitrary<unknown> => {
  const entry = fc.constantFrom(...seedLists[list]);
  return fc.oneof(
    entry.map((e) => e.label.toUpperCase()),
    entry.map(({ category, label: text }) => ({ category, label: text })),
  );
};
const freeNames = fc.constantFrom('a', 'b', '10', '9', 'diameter', 'constructive');
const scalar = fc.oneof(number, words, fc.boolean());
const free = fc.dictionary(
  freeNames,
  fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(freeNames, scalar, { maxKeys: 3 })),
  { maxKeys: 4 },
);
const freeWithUnit = fc.record({ x: free, diameterUnit: fc.constantFrom(...spelling('units')) }, { requiredKeys: [] });

/** Values for one field as a client may send them. */
function sent(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'name':
      return fc.constantFrom(...spelling(field.list));
    case 'number':
    case 'quantity':
      return number;
    case 'boolean':
      return field.yesOrNo ? fc.constantFrom(true, false, 'yes', 'NO') : fc.boolean();
    case 'labels':
      return fc.array(label(field.list), { maxLength: 3 });
    case 'object':
      return freeWithUnit;
    case 'group':
      return sentMembers(field.fields);
    case 'list':
      return fc.array(sentMembers(field.fields), { maxLength: 3 });
    case 'imageId':
      return fc.uuid();
    default:
      return words;
  }
}

function sentMembers(fields: Fields): fc.Arbitrary<object> {
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  const requiredKeys: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    members[name] = field.kind === 'imageId' ? sent(field) : fc.option(sent(field), { freq: 9 });
    if (field.kind === 'imageId' || (field.mandatory === true && field.kind !== 'group')) requiredKeys.push(name);
    if (field.kind !== 'quantity') continue;
    const units = seedLists.units.filter(({ dimension }) => field.dimensions.includes(dimension));
    members[`${name}Unit`] = fc.constantFrom(...units.flatMap((u) => [u.unit, ...u.aliases]));
  }
  return fc.record(members, { requiredKeys });
}

const item = sentMembers(recordFields);

/** A complete record's data: what the property is about, since only such a record is published. */
const complete = item.map(recordOf).filter(({ missingFields }) => missingFields.length === 0);

test('what a GET returns can be sent back: validating the read form gives the same data and the same text', () => {
  fc.assert(
    fc.property(complete, fc.integer({ min: 1, max: 2 ** 31 }), ({ data }, id) => {
      const text = publicRecordJson(id, data);
      const again = recordOf(JSON.parse(text));
      // Beside a named component an empty one says nothing, and is not published.
      const components = data.polymerProperty?.polymerComponents?.filter((c) => c.polymerName !== undefined) ?? [];
      expect(again.data).toEqual({ ...data, polymerProperty: { polymerComponents: components } });
      expect(publicRecordJson(id, again.data)).toBe(text);
      expect(again.missingFields).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('nothing empty is published: no null, no empty group, no component without a name', () => {
  const check = (value: unknown): void => {
    expect(value).not.toBeNull();
    if (typeof value !== 'object' || value === null) return;
    expect(Object.keys(value).length).toBeGreaterThan(0);
    Object.values(value).forEach(check);
  };
  fc.assert(
    fc.property(item, (input) => {
      const { data } = recordOf(input);
      // The compiler cannot know what the text holds; that it is a record's data is the other test's matter.
      const record = JSON.parse(publicRecordJson(7, data)) as ExperimentData;
      check(record);
      for (const c of record.polymerProperty?.polymerComponents ?? []) expect(c.polymerName).toBeDefined();
      for (const c of record.solventProperty?.solventComponents ?? []) expect(c.solventName).toBeDefined();
      expect(Object.keys(record).slice(0, 2)).toEqual(['recordId', 'experimentId']);
    }),
    { numRuns: 500 },
  );
});

test('the order of members in the data does not matter', () => {
  const turn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turn);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([k, v]) => [k, turn(v)]),
    );
  };
  fc.assert(
    fc.property(complete, ({ data }) => {
      // Turning keeps every member, so it is the same data.
      const turned = turn(data) as ExperimentData;
      expect(publicRecordJson(1, turned)).toBe(publicRecordJson(1, data));
    }),
    { numRuns: 300 },
  );
});

test('the read form, letter by letter', () => {
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
