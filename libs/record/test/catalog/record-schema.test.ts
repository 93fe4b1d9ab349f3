import { expect, test } from '@jest/globals';
import type { ExperimentData } from '../../src/catalog/catalog.ts';
import { filterKeys } from '../../src/filter/filter-keys.ts';
import { publicRecordJson } from '../../src/catalog/public-record.ts';
import { recordSchemas, schemaReference } from '../../src/catalog/record-schema.ts';
import type { JsonSchema } from '../../src/catalog/record-schema.ts';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import { demoRecords } from '../demo-records.ts';
import { references } from '../seed-lists.ts';

const named = new Map<string, JsonSchema>(Object.entries(recordSchemas).map(([name, schema]) => [name, schema]));

function resolve(schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const found = named.get(schema.$ref.replace('#/components/schemas/', ''));
  if (!found) throw new Error(`${schema.$ref} does not exist`);
  return found;
}

/** Builds a value with every member of a schema, each filled by `leaf`. */
function filled(schema: JsonSchema, leaf: (type: unknown) => unknown): unknown {
  const { properties, items, type, anyOf } = resolve(schema);
  if (anyOf) return filled(anyOf.at(-1) ?? {}, leaf);
  if (type === 'array') return [filled(items ?? { type: 'string' }, leaf)];
  if (!properties) return leaf(type);
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, filled(member, leaf)]));
}

/** Returns the paths of all members of a value; `[]` stands for each item. */
function paths(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => paths(item, `${at}[]`)))];
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([name, member]) => paths(member, at === '' ? name : `${at}.${name}`));
}

const unknownMembers = (body: unknown): string[] =>
  validateSubmission(body, references, { userMetadata: 'optional' })
    .problems.filter(({ code }) => code === 'UNKNOWN_MEMBER')
    .map(({ path }) => path);

test('validation accepts every member of the submission schema', () => {
  expect(unknownMembers(filled(schemaReference('SubmitDataDTO'), () => 'x'))).toEqual([]);
});

test('validation rejects members that the submission schema lacks, at any depth', () => {
  const places: string[] = [];
  const withStranger = (schema: JsonSchema, at: string): unknown => {
    const { properties, items, type, anyOf, additionalProperties } = resolve(schema);
    if (anyOf) return withStranger(anyOf.at(-1) ?? {}, at);
    if (type === 'array') return items ? [withStranger(items, `${at}[0]`)] : [];
    if (!properties) return 'x';
    expect([at, additionalProperties]).toEqual([at, false]);
    places.push(at === '' ? 'stranger' : `${at}.stranger`);
    const members = Object.entries(properties).map(([name, member]): [string, unknown] => [
      name,
      withStranger(member, at === '' ? name : `${at}.${name}`),
    ]);
    return Object.fromEntries([...members, ['stranger', 1]]);
  };
  const body = withStranger(schemaReference('SubmitDataDTO'), '');
  expect(places.length).toBeGreaterThan(15);
  expect(unknownMembers(body).sort()).toEqual(places.sort());
});

test('the record schema has exactly the members of the read form', () => {
  const whole = filled(schemaReference('Record'), (type) =>
    type === 'number' ? 1 : type === 'object' ? { a: 1 } : 'x',
  );
  const read: unknown = JSON.parse(publicRecordJson(1, whole as ExperimentData));
  // `normalized` is optional.
  expect(paths(read)).toEqual(paths(whole).filter((path) => !path.startsWith('normalized.')));
});

function* misfits(schema: JsonSchema, value: unknown, at: string): Generator<string> {
  const { type, properties = {}, required = [], items, maxLength = Infinity, ...rest } = resolve(schema);
  const actual = Array.isArray(value)
    ? 'array'
    : Number.isInteger(value) && type === 'integer'
      ? 'integer'
      : typeof value;
  if (![type].flat().some((one) => one === actual)) yield `${at} is of the type ${actual}`;
  if (typeof value === 'string' && (value.length < (rest.minLength ?? 0) || value.length > maxLength)) {
    yield `${at} has ${value.length} characters`;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* misfits(items ?? {}, item, `${at}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const name of required) if (!Object.hasOwn(value, name)) yield `${at}.${name} is missing`;
    const { additionalProperties } = rest;
    for (const [name, member] of Object.entries(value)) {
      const known = properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
      if (known) yield* misfits(known, member, `${at}.${name}`);
      else yield `${at}.${name} is in no schema`;
    }
  }
}

test('every demo record conforms to the record schema', () => {
  expect(demoRecords).toHaveLength(809);
  for (const [index, data] of demoRecords.entries()) {
    const read: unknown = JSON.parse(publicRecordJson(index + 1, data));
    expect([...misfits(schemaReference('Record'), read, `record ${index + 1}`)]).toEqual([]);
  }
});

test('the filter schema has exactly the filter keys', () => {
  expect(Object.keys(recordSchemas.Filter.properties).sort()).toEqual([...filterKeys].sort());
});
