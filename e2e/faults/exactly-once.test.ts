import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { query } from '../support/database.ts';
import { expectExactlyOnce, expectWholeLog } from '../support/dataset-log.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { openEventStream, recordApproved, type EventStream } from '../support/events.ts';
import { eventually } from '@esd/testing/eventually';
import { outcomes, startLoad, stopLoads } from '../support/load.ts';
import { readMetric } from '../support/metrics.ts';
import { smallSubmission } from '@esd/testing/records';

const REPLICAS = ['dataset-svc', 'dataset-svc-2'];
const RECORDS = 400;
const KILLS = 6;
// An unacknowledged event is delivered again after 5 s (ACK_WAIT_NS in libs/events).
const REDELIVERY_MS = 60_000;
// Ids that no submission has.
const STRANGER = 1_000_000;

let stack: TestStack;
let api: Api;
let token: string;
let events: EventStream;
beforeAll(async () => {
  stack = await startStack({ empty: true, replicas: { 'dataset-svc': 2 } });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  events = await openEventStream(stack);
});
afterEach(stopLoads);
afterAll(async () => {
  await events.close();
  await stack.stop();
});

test('each approval becomes one revision while dataset-svc is killed repeatedly', async () => {
  const own = await submitRecords(api, smallSubmission(RECORDS), token);
  const pending = [...own];
  const approvals = startLoad(2, async () => {
    const id = pending.shift();
    if (id === undefined) return api.get('/health');
    // A slow stream, so that every kill interrupts it.
    await sleep(25);
    return api.post(`/moderation/records/${id}/approve`, '', { bearer: token });
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const name = REPLICAS[kill % 2] ?? '';
    await sleep(150 + 100 * kill);
    await stack.kill(name);
    await stack.start(name);
  }
  await eventually(
    () => Promise.resolve(pending.length),
    (left) => left === 0,
  );
  expect(Object.keys(outcomes(await approvals.stop()))).toEqual(['200']);

  await untilTotal(api, RECORDS, REDELIVERY_MS);
  expect((await readAll(api)).map(({ recordId }) => recordId)).toEqual(own);
  await expectExactlyOnce(stack);
});

describe('repeated and reordered events', () => {
  const dataset = () => stack.databaseUrl('esd_dataset');
  const handled = async () => {
    const counts = REPLICAS.map((name) => readMetric(stack, name, 'esd_events_total', { result: 'handled' }));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  const untilHandled = (more: number, before: number) =>
    eventually(handled, (now) => now >= before + more, REDELIVERY_MS);
  const revisionsOf = (id: number) =>
    query(
      dataset(),
      `select record_revision, body, valid_to is null as newest from record_revision where record_id = $1 order by valid_from`,
      [id],
    );

  test('ten identical events, with and without a message id, become one revision', async () => {
    const before = await handled();
    const [head] = await query(dataset(), 'select revision, record_count from dataset_head');
    for (let time = 0; time < 10; time += 1) await events.publish(recordApproved(STRANGER, 1), 'the-same-id');
    await Promise.all(Array.from({ length: 10 }, () => events.publish(recordApproved(STRANGER, 1))));
    // JetStream drops nine of the first ten.
    await untilHandled(11, before);
    expect(await revisionsOf(STRANGER)).toHaveLength(1);
    const [now] = await query(dataset(), 'select revision, record_count from dataset_head');
    expect(now).toEqual({ revision: Number(head?.['revision']) + 1, record_count: Number(head?.['record_count']) + 1 });
    await expectWholeLog(dataset());
  });

  test('of two revisions in the wrong order, the newer one remains', async () => {
    const id = STRANGER + 1;
    const before = await handled();
    await events.publish(recordApproved(id, 3, { researchMetadata: { doi: '10.1000/third' } }));
    await untilHandled(1, before);
    await events.publish(recordApproved(id, 2, { researchMetadata: { doi: '10.1000/second' } }));
    await untilHandled(2, before);
    expect(await revisionsOf(id)).toEqual([
      { record_revision: 3, newest: true, body: expect.stringContaining('10.1000/third') },
    ]);
    const shown = (await readAll(api)).filter(({ recordId }) => recordId === id);
    expect(shown).toEqual([{ recordId: id, experimentId: id, researchMetadata: { doi: '10.1000/third' } }]);
    await expectWholeLog(dataset());
  });

  test('of many revisions sent to both replicas simultaneously, in any order, the newest remains', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => STRANGER + 10 + index);
    const before = await handled();
    const bodies = ids.flatMap((id) => [2, 5, 1, 4, 3].map((revision) => recordApproved(id, revision)));
    await Promise.all(bodies.map((body) => events.publish(body)));
    await untilHandled(bodies.length, before);
    for (const id of ids) {
      const revisions = await revisionsOf(id);
      expect(revisions.at(-1)).toMatchObject({ record_revision: 5, newest: true });
      expect(revisions.filter(({ newest }) => newest)).toHaveLength(1);
    }
    await expectWholeLog(dataset());
  });

  test('an event that cannot be decoded becomes a dead letter, and the next events are processed', async () => {
    const id = STRANGER + 2;
    const before = await handled();
    const unreadable = [
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      Buffer.from('no event at all'),
      recordApproved(0, 1),
      recordApproved(id, 1, { recordId: id + 1 }),
      Buffer.alloc(0),
    ];
    for (const body of unreadable) await events.publish(body);
    await events.publish(recordApproved(id, 1));
    await untilHandled(1, before);
    expect(await revisionsOf(id)).toHaveLength(1);
    const dead = await eventually(
      () => events.deadLetters(),
      (letters) => letters.length >= unreadable.length,
    );
    const hex = (bodies: Uint8Array[]) => bodies.map((body) => Buffer.from(body).toString('hex')).sort();
    expect(hex(dead)).toEqual(hex(unreadable));
    const counts = REPLICAS.map((name) => readMetric(stack, name, 'esd_events_total', { result: 'dead' }));
    expect((await Promise.all(counts)).reduce((sum, count) => sum + count, 0)).toBe(unreadable.length);
    await expectWholeLog(dataset());
  });
});
