import { expect, test } from '@jest/globals';
import { demoSubmissions } from '@esd/testing/demo';
import { publicRecordJson } from '../../src/catalog/public-record.ts';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import { references } from '../seed-lists.ts';

const checks = demoSubmissions.map((body) => ({
  body,
  check: validateSubmission(body, references, { userMetadata: 'optional' }),
}));
const records = checks.flatMap(({ check }) => check.submission?.records ?? []);

test('the demo has 57 submissions with 809 complete, valid records', () => {
  expect(demoSubmissions).toHaveLength(57);
  expect(checks.flatMap(({ check }) => check.problems)).toEqual([]);
  expect(records).toHaveLength(809);
  expect(records.flatMap(({ missingFields }) => missingFields)).toEqual([]);
});

test('the demo has warnings for solvents that count as another one and two papers without a DOI', () => {
  const counts: Record<string, number> = {};
  for (const { code } of records.flatMap(({ warnings }) => warnings)) counts[code] = (counts[code] ?? 0) + 1;
  expect(counts).toEqual({ LEGACY_NAME: 26, DOI_NOT_WELL_FORMED: 27 });
});

test('validation does not change the demo', () => {
  for (const { body, check } of checks) {
    const { researchMetadata, records: checked } = check.submission ?? {};
    const experimentData = checked?.map(({ data }) => {
      const { researchMetadata: merged, ...item } = data;
      expect(merged).toEqual(researchMetadata);
      return item;
    });
    expect({ researchMetadata, experimentData }).toEqual(body);
  }
});

test('the read form of each record can be submitted unchanged', () => {
  records.forEach(({ data }, i) => {
    const text = publicRecordJson(i + 1, data);
    const { submission } = validateSubmission({ experimentData: [JSON.parse(text)] }, references, {
      userMetadata: 'optional',
    });
    expect(submission?.records[0]?.data).toEqual(data);
  });
});

test('validation of 1,000 records is fast', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => records[i % records.length]?.data);
  const started = performance.now();
  const { problemCount } = validateSubmission({ experimentData: items }, references, { userMetadata: 'optional' });
  const milliseconds = performance.now() - started;
  expect(problemCount).toBe(0);
  process.stdout.write(`1,000 records checked in ${milliseconds.toFixed(0)} ms\n`);
});
