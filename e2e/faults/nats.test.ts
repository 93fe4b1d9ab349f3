import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { query } from '../support/database.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { expectExactlyOnce } from '../support/dataset-log.ts';
import { outcomes, startLoad, stopLoads } from '../support/load.ts';
import { readMetric } from '../support/metrics.ts';
import { page } from '../support/shapes.ts';
import { smallSubmission } from '@esd/testing/records';
import { whileAway } from '../support/while-away.ts';

// An unacknowledged event is delivered again after 5 s (ACK_WAIT_NS in libs/events).
const REDELIVERY_MS = 45_000;

let stack: TestStack;
let api: Api;
let token: string;
let own: number[];
let total = 0;
beforeAll(async () => {
  stack = await startStack({ empty: true });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  own = await submitRecords(api, smallSubmission(200), token);
});
afterEach(stopLoads);
afterAll(() => stack.stop());

const approve = (recordIds: number[]) => api.post('/moderation/approve', { recordIds }, { bearer: token });
const approveOne = (id: number) => api.post(`/moderation/records/${id}/approve`, '', { bearer: token });

describe.each([
  ['gone', 1_000],
  // Long enough for both ends to close the connection.
  ['silent', 12_000],
] as const)('NATS %s', (how, awayMs) => {
  test('does not affect submissions, approvals and reads; all events arrive afterwards', async () => {
    const approved = own.splice(0, 20);
    const before = total;
    await whileAway(stack, how, ['nats'], async () => {
      const reads = startLoad(1, () => api.get('/public/dataset'));
      const started = performance.now();
      for (const id of approved.slice(0, 10)) expect((await approveOne(id)).status).toBe(200);
      expect((await approve(approved.slice(10))).status).toBe(200);
      expect((await api.post('/data/submit', smallSubmission())).status).toBe(201);
      expect((await api.get('/data/my-records/ids', { bearer: token })).status).toBe(200);
      // Twelve calls; none of them waited for NATS.
      expect(performance.now() - started).toBeLessThan(5_000);
      expect((await api.get('/ready')).status).toBe(200);
      await sleep(awayMs);
      const attempts = await reads.stop();
      expect(Object.keys(outcomes(attempts))).toEqual(['200']);
      for (const { answer } of attempts) expect(page.parse(answer?.json).total).toBe(before);
    });
    total += approved.length;
    await untilTotal(api, total, 30_000);
    expect((await readAll(api)).map(({ recordId }) => recordId)).toEqual(expect.arrayContaining(approved));
    await expectExactlyOnce(stack);
  });
});

test('services start without NATS and process events when it is back', async () => {
  const approved = own.splice(0, 5);
  await whileAway(stack, 'gone', ['nats'], async () => {
    await Promise.all(['submission-svc', 'dataset-svc'].map((name) => stack.restart(name)));
    await eventually(
      () => approve(approved),
      ({ status }) => status === 200,
    );
    expect((await api.get('/public/dataset')).status).toBe(200);
  });
  total += approved.length;
  await untilTotal(api, total, 30_000);
  await expectExactlyOnce(stack);
});

test('an effect whose acknowledgment was lost is not repeated', async () => {
  const [id = 0, later = 0] = own.splice(0, 2);
  const database = stack.databaseUrl('esd_dataset');

  // The consumer waits here, between the delivery and its effect.
  const blocker = new pg.Client({ connectionString: database });
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select from dataset_head for update');
  expect((await approveOne(id)).status).toBe(200);
  await eventually(
    () => query(database, `select from pg_locks where not granted`),
    (waiting) => waiting.length > 0,
  );

  // The effect is committed, but its acknowledgment is lost.
  await stack.kill('nats');
  await blocker.query('commit');
  await blocker.end();
  await untilTotal(api, ++total);
  await stack.kill('dataset-svc');
  await stack.start('nats');
  await stack.start('dataset-svc');

  // The event is delivered again and has no effect.
  await eventually(
    () => readMetric(stack, 'dataset-svc', 'esd_events_total', { result: 'handled' }),
    (handled) => handled === 1,
    REDELIVERY_MS,
  );
  const [head] = await query(database, 'select revision from dataset_head');
  await expectExactlyOnce(stack);
  expect((await approveOne(later)).status).toBe(200);
  await untilTotal(api, ++total);
  const [next] = await query(database, 'select revision from dataset_head');
  expect(Number(next?.['revision'])).toBe(Number(head?.['revision']) + 1);
});
