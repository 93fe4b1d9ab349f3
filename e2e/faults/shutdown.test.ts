import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { publishBigRecords } from '../support/big-dataset.ts';
import { query } from '../support/database.ts';
import { expectExactlyOnce } from '../support/dataset-log.ts';
import { submitRecords } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { type Attempt, outcomes, startLoad, stopLoads } from '../support/load.ts';
import { page, records, submission } from '../support/shapes.ts';
import { beginDownload } from '../support/slow-download.ts';
import { smallSubmission } from '@esd/testing/records';

// 18 MB: the stream takes some time, but less than the grace period of a shutdown.
const SUBMISSIONS = 2;
const EXPORT = '/public/dataset/export?format=json';

let stack: TestStack;
let api: Api;
let token: string;
let count: number;
beforeAll(async () => {
  stack = await startStack({
    empty: true,
    replicas: { 'dataset-svc': 2, gateway: 2 },
    env: { ESD_LEAVE_SECONDS: '1' },
  });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  count = await publishBigRecords(api, token, SUBMISSIONS);
  // Each replica follows the log within a second.
  await sleep(1_500);
});
afterEach(stopLoads);
afterAll(() => stack.stop());

/** Sends SIGTERM, waits until the process has ended and the next one works, and returns the time to the end in ms. */
async function terminate(name: string): Promise<number> {
  const [before, started] = [stack.pid(name), Date.now()];
  stack.signal(name, 'SIGTERM');
  await eventually(
    () => Promise.resolve(stack.pid(name)),
    (pid) => pid !== before,
    15_000,
  );
  const ms = Date.now() - started;
  const internal = stack.addresses[name]?.['http'] ?? '';
  await eventually(
    () => request(`${internal}/ready`).catch(() => undefined),
    (answer) => answer?.status === 200,
    20_000,
  );
  return ms;
}

const PAGE = 2;
const read = () => api.get(`/public/dataset?limit=${PAGE}`);
const submit = () => api.post('/data/submit', smallSubmission());

/** Checks that no response is truncated and that exactly the acknowledged submissions are stored. */
async function expectAcknowledgedStored(attempts: readonly Attempt[], before: number): Promise<void> {
  expect(outcomes(attempts)).not.toHaveProperty('cut');
  const acknowledged = attempts.flatMap(({ answer }) =>
    answer?.status === 201 ? [submission.parse(answer.json)] : [],
  );
  const stored = await query(
    stack.databaseUrl('esd_submission'),
    'select id from submission where id > $1 order by id',
    [before],
  );
  expect(stored.map(({ id }) => id)).toEqual(
    acknowledged.map(({ submissionId }) => submissionId).sort((a, b) => a - b),
  );
}

const lastSubmission = async () => {
  const [last] = await query(stack.databaseUrl('esd_submission'), 'select max(id) as id from submission');
  return Number(last?.['id']);
};

test('the gateway completes every response that has begun, including a download', async () => {
  const before = await lastSubmission();
  const reads = startLoad(3, read);
  const submits = startLoad(2, submit);
  const slow = await beginDownload(api.url + EXPORT);
  await sleep(500);
  const [ms, { complete, text }] = await Promise.all([terminate('gateway'), sleep(2_000).then(() => slow.finish())]);
  expect(complete).toBe(true);
  expect(records.parse(JSON.parse(text))).toHaveLength(count);
  expect(ms).toBeLessThan(11_000);
  await sleep(500);

  const attempts = await reads.stop();
  // A closed port gives no response; every response is correct.
  expect(Object.keys(outcomes(attempts)).filter((kind) => kind !== 'unanswered')).toEqual(['200']);
  for (const { answer } of attempts) if (answer) expect(page.parse(answer.json).data).toHaveLength(PAGE);
  expect(attempts.at(-1)?.answer?.status).toBe(200);
  await expectAcknowledgedStored(await submits.stop(), before);
});

test('a stopping gateway reports not ready and serves requests until the load balancer has removed it', async () => {
  const url = stack.addresses['gateway-2']?.['public'] ?? '';
  const statusOf = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      // On its own connection.
      get(url + path, { agent: false }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
  expect(await statusOf('/ready')).toBe(200);
  const started = Date.now();
  const terminated = terminate('gateway-2');
  await eventually(
    () => statusOf('/ready'),
    (status) => status === 503,
    700,
  );
  while (Date.now() - started < 800) expect(await statusOf('/public/dataset?limit=1')).toBe(200);
  expect(await terminated).toBeGreaterThan(1_000);
});

test('a replica of dataset-svc completes its requests, and no caller notices its shutdown', async () => {
  const reads = startLoad(3, read);
  await sleep(300);
  const slow = await beginDownload(api.url + EXPORT);
  const terminated = (async () => {
    for (const name of ['dataset-svc', 'dataset-svc-2']) await terminate(name);
  })();
  const [{ complete, text }] = await Promise.all([sleep(300).then(() => slow.finish()), terminated]);
  expect(complete).toBe(true);
  expect(records.parse(JSON.parse(text))).toHaveLength(count);
  const attempts = await reads.stop();
  expect(Object.keys(outcomes(attempts))).toEqual(['200']);
  for (const { answer } of attempts) expect(page.parse(answer?.json).data).toHaveLength(PAGE);
});

test('submission-svc completes its requests: exactly the acknowledged changes are stored or approved', async () => {
  const before = await lastSubmission();
  const pending = await submitRecords(api, smallSubmission(300), token);
  const submits = startLoad(2, submit);
  const approvals = startLoad(1, () => {
    const id = pending.shift() ?? 1;
    return api.post(`/moderation/records/${id}/approve`, '', { bearer: token });
  });
  await sleep(300);
  await terminate('submission-svc');
  await sleep(300);
  const kinds = Object.keys(outcomes([...(await submits.stop()), ...(await approvals.stop())]));
  expect(kinds.filter((kind) => !['200', '201', '409', '503'].includes(kind))).toEqual([]);
  await expectAcknowledgedStored(submits.attempts, before + 1);

  const acknowledged = approvals.attempts.filter(({ answer }) => answer?.status === 200).length;
  const [approved] = await query(
    stack.databaseUrl('esd_submission'),
    `select count(*) from audit where action = 'approve'`,
  );
  expect(approved?.['count']).toBe(count + acknowledged);
  await eventually(
    async () => page.parse((await api.get('/public/dataset?limit=1')).json).total,
    (total) => total === count + acknowledged,
    45_000,
  );
  await expectExactlyOnce(stack);
});
