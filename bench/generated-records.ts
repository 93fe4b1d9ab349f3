import { type ExperimentData, type Field, type Fields, recordFields } from '@esd/record/catalog/catalog';
import { isObject } from '@esd/record/validate/is-object';
import type { References } from '@esd/record/reference/reference';
import { validateSubmission } from '@esd/record/validate/validate-submission';
import { demoSubmissions } from '@esd/testing/demo';
import { type Random, seeded } from './random.ts';

const JITTER = 0.05;
const SIGNIFICANT_DIGITS = 4;

/** Returns the records of the demo dataset as the service stores them, ordered by id. */
export function readDemoRecords(references: References): ExperimentData[] {
  return demoSubmissions.flatMap((body) => {
    const { submission, problems } = validateSubmission(body, references, { userMetadata: 'optional' });
    if (submission === undefined) throw new Error(`a submission of the demo is invalid: ${JSON.stringify(problems)}`);
    return submission.records.map(({ data }) => data);
  });
}

/**
 * Returns the data of a record: for ids of the demo its own, otherwise a random record of the demo with each quantity changed by up to 5 %
 * (percentages stay at most 100). The result depends only on id and seed.
 */
export function recordData(demo: readonly ExperimentData[], recordId: number, seed: number): ExperimentData {
  const own = demo[recordId - 1];
  if (own !== undefined) return own;
  const random = seeded(Math.imul(seed, 0x9e3779b1) ^ recordId);
  const drawn = random.pick(demo);
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
