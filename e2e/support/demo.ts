import { expect } from '@jest/globals';
import { demoSubmissions } from '@esd/testing/demo';
import { z } from 'zod';
import type { Api } from './api.ts';
import { readAll } from './dataset.ts';
import { page } from './shapes.ts';

const submission = z.strictObject({
  researchMetadata: z.record(z.string(), z.unknown()),
  experimentData: z.array(z.record(z.string(), z.unknown())).min(1),
});

/** The submissions of the demo, and the expected records in the order of their ids. */
export function readDemo(): { submissions: number; records: Record<string, unknown>[] } {
  const items = demoSubmissions.flatMap((body) => {
    const { researchMetadata, experimentData } = submission.parse(body);
    return experimentData.map((item) => ({ ...item, researchMetadata }));
  });
  return {
    submissions: demoSubmissions.length,
    records: items.map((item, index) => ({ recordId: index + 1, experimentId: index + 1, ...item })),
  };
}

/** Checks that a service has the records of the demo file and the release of the demo. */
export async function expectDemo(api: Api): Promise<void> {
  const first = page.parse((await api.get('/public/dataset?limit=7')).json);
  expect(first).toMatchObject({ total: 809, skip: 0, limit: 7, version: 'latest' });
  const demo = readDemo();
  const records = await readAll(api);
  expect(records.map(({ recordId }) => recordId)).toEqual(Array.from({ length: 809 }, (_, index) => index + 1));
  expect(records).toEqual(demo.records);
  const versions = (await api.get('/public/dataset/versions')).json;
  expect(versions).toMatchObject([{ id: 1, versionIdentifier: 'v1.0.0', recordCount: 809 }]);
}
