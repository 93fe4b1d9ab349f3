import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { publishBigRecords } from '../support/big-dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { readMetric } from '../support/metrics.ts';
import { records } from '../support/shapes.ts';
import { beginDownload } from '../support/slow-download.ts';
import { whileAway } from '../support/while-away.ts';

// 36 MB.
const SUBMISSIONS = 4;
const EXPORT = '/public/dataset/export?format=json';

let stack: TestStack;
let api: Api;
let count: number;
beforeAll(async () => {
  stack = await startStack({ empty: true });
  api = apiAt(stack.url);
  const { token } = await createAdmin(api);
  count = await publishBigRecords(api, token, SUBMISSIONS);
});
afterAll(() => stack.stop());

test('a slow reader receives the whole file and does not delay other readers', async () => {
  const slow = await beginDownload(api.url + EXPORT);
  expect(slow.status).toBe(200);
  await sleep(1_000);
  expect((await api.get('/public/dataset?limit=1')).status).toBe(200);
  const { complete, text } = await slow.finish();
  expect(complete).toBe(true);
  const all = records.parse(JSON.parse(text));
  expect(all.map(({ recordId }) => recordId)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

describe('a process that is killed in the middle of a stream', () => {
  test.each(['dataset-svc', 'export-svc', 'gateway'])(
    '%s: the reader sees a broken connection, never a whole file',
    async (name) => {
      const slow = await beginDownload(api.url + EXPORT);
      expect(slow.status).toBe(200);
      const { complete, text } = await whileAway(stack, 'gone', [name], () => slow.finish());
      expect(complete).toBe(false);
      expect(text.startsWith('[')).toBe(true);
      expect(() => {
        JSON.parse(text);
      }).toThrow(SyntaxError);

      const again = await eventually(
        () => api.get(EXPORT).catch(() => undefined),
        (answer) => answer?.status === 200,
      );
      expect(records.parse(again?.json)).toHaveLength(count);
    },
  );
});

test('a reader that disconnects ends the work behind its download', async () => {
  const scans = async (labels: Record<string, string>) => {
    const method = 'esd.dataset.v1.DatasetService/ScanRecords';
    return readMetric(stack, 'dataset-svc', 'esd_rpc_server_requests_total', { method, ...labels });
  };
  const [all, whole] = [await scans({}), await scans({ code: 'OK' })];
  const slow = await beginDownload(api.url + EXPORT);
  slow.abandon();
  await eventually(
    () => scans({}),
    (now) => now === all + 1,
    5_000,
  );
  expect(await scans({ code: 'OK' })).toBe(whole);
});
