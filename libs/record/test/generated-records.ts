import { expect } from '@jest/globals';
import fc from 'fast-check';
import { recordFields } from '../src/catalog/catalog.ts';
import type { Field, Fields, Limits } from '../src/catalog/catalog.ts';
import { validateSubmission } from '../src/validate/validate-submission.ts';
import type { ValidRecord } from '../src/validate/validate-submission.ts';
import { references, seedLists } from './seed-lists.ts';

/** Validates an item and returns its stored form. Throws if it is invalid. */
export const recordOf = (item: unknown): ValidRecord => {
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
/** Generates numbers that are possible in every unit of a field. */
const possible = ({ min, max, except }: Limits): fc.Arbitrary<number> =>
  fc
    .double({
      noNaN: true,
      noDefaultInfinity: true,
      ...(min !== undefined && { min: 0 }),
      ...(max !== undefined && { max: 1 }),
    })
    .filter((value) => value !== except);
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

/** Generates values of one field as clients send them. */
function sent(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'name':
      return fc.constantFrom(...spelling(field.list));
    case 'number':
      return field.isInteger ? fc.integer({ min: 1, max: field.limits.max ?? 1_000 }) : possible(field.limits);
    case 'quantity':
      return possible(field.limits);
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
  for (const [name, field] of Object.entries<Field>(fields)) {
    if (field.answered === true || field.isPrivate) continue;
    members[name] = field.kind === 'imageId' ? sent(field) : fc.option(sent(field), { freq: 9 });
    if (field.kind === 'imageId' || (field.mandatory === true && field.kind !== 'group')) requiredKeys.push(name);
    if (field.kind !== 'quantity') continue;
    const units = seedLists.units.filter(({ dimension }) => field.dimensions.includes(dimension));
    members[`${name}Unit`] = fc.constantFrom(...units.flatMap((u) => [u.unit, ...u.aliases]));
  }
  return fc.record(members, { requiredKeys });
}

export const item = sentMembers(recordFields);

/** Generates the data of complete records, because only these are published. */
export const complete = item.map(recordOf).filter(({ missingFields }) => missingFields.length === 0);
