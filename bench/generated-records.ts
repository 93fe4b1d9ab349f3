import { type ExperimentData, type Field, type Fields, recordFields } from '@esd/record/catalog/catalog';
import { isObject } from '@esd/record/validate/read-value';
import type { References } from '@esd/record/reference/reference';
import { validateSubmission } from '@esd/record/validate/validate-submission';
import { demoSubmissions } from '@esd/testing/demo';
import { type Random, seeded } from './random.ts';

/** How far a generated number may be from the one it is made from, as a share of it. */
const JITTER = 0.05;
const SIGNIFICANT_DIGITS = 4;

/** The demo's records, in the order of their ids, as the service stores them. */
export function readDemoRecords(references: References): ExperimentData[] {
  return demoSubmissions.flatMap((body) => {
    const { submission, problems } = validateSubmission(body, references, { userMetadata: 'optional' });
    if (submission === undefined) throw new Error(`a submission of the demo is not valid: ${JSON.stringify(problems)}`);
    return submission.records.map(({ data }) => data);
  });
}

/**
 * The data of record `recordId`: the demo's own for its ids, after them one of the demo's drawn at random, with each
 * quantity moved by up to 5 % (percentages stay at most 100). The same seed gives the same record for an id.
 */
export function recordData(demo: readonly ExperimentData[], recordId: number, seed: number): ExperimentData {
  const own = demo[recordId - 1];
  if (own !== undefined) return own;
  const random = seeded(Math.imul(seed, 0x9e3779b1) ^ recordId);
  const drawn = random.pick(demo);
  // The same members with other numbers.
  return jitterMembers(recordFields, drawn, random);
}

type Values = Readonly<Record<string, unknown>>;

function jitterMembers(fields: Fields, values: Values, random: Random): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = fields[name];
      return [name, field === undefined ? value : jitter(field, value, random)];
    }),
  );
}

function jitter(field: Field, value: unknown, random: Random): unknown {
  if (field.kind === 'group' && isObject(value)) return jitterMembers(field.fields, value, random);
  if (field.kind === 'list' && Array.isArray(value)) {
    return value.map((item: unknown) => (isObject(item) ? jitterMembers(field.fields, item, random) : item));
  }
  if (field.kind !== 'quantity' || typeof value !== 'number') return value;
  const moved = Number((value * (1 + JITTER * (2 * random.next() - 1))).toPrecision(SIGNIFICANT_DIGITS));
  return field.dimensions.includes('relative') && value <= 100 ? Math.min(moved, 100) : moved;
}
