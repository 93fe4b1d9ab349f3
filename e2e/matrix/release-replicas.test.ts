import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { smallSubmission } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { verifyRelease } from '@esd/tools/verify-release';
import { createAdmin } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { query } from '../support/database.ts';
import { freezeRelease, submitRecords, untilTotal } from '../support/dataset.ts';
import { page } from '../support/shapes.ts';

let stack: TestStack;
let api: Api;
let ids: number[];
beforeAll(async () => {
  stack = await startStack({ empty: true, replicas: { 'dataset-svc': 2 } });
  api = apiAt(stack.url);
  const { token: bearer } = await createAdmin(api);
  ids = await submitRecords(api, smallSubmission(3), bearer);
  await api.post('/moderation/approve', { recordIds: ids }, { bearer });
  await untilTotal(api, 3);
  await freezeRelease(api, { versionIdentifier: 'v1.0.0' }, bearer);
});
afterAll(() => stack.stop());

const read = async (path: string) => page.parse((await api.get(`/public/dataset/${path}`)).json);

test('a release is served while one replica of dataset-svc is down, and cached pages are served without any replica', async () => {
  const path = `${stack.url}/public/dataset/v1.0.0?limit=2`;
  const before = await request(path);
  await stack.kill('dataset-svc');
  try {
    // These pages were not read before.
    for (const limit of [3, 4]) expect((await read(`v1.0.0?limit=${limit}`)).total).toBe(3);
    await stack.kill('dataset-svc-2');
    const cached = await request(path);
    expect([cached.status, cached.text]).toEqual([200, before.text]);
  } finally {
    await stack.start('dataset-svc');
    await stack.start('dataset-svc-2');
  }
});

test('verification detects a release that was changed in the database', async () => {
  const database = stack.databaseUrl('esd_dataset');
  await expect(query(database, `update release set digest = 'x' where identifier = 'v1.0.0'`)).rejects.toThrow(
    'frozen',
  );
  await query(
    database,
    `update record_revision set body = replace(body, '"voltage":12', '"voltage":13') where record_id = $1`,
    [ids[1]],
  );
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const { signal } = new AbortController();
  // The gateway and each replica of dataset-svc have cached the original bytes.
  await Promise.all(['dataset-svc', 'dataset-svc-2', 'gateway'].map((name) => stack.restart(name)));
  expect(await verifyRelease({ url: stack.url, version: 'v1.0.0', signal, say })).toBe(false);
  expect(lines.at(-1)).toBe('v1.0.0 is NOT intact: digest of the records');
});
