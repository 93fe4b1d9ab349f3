import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { query } from '../support/database.ts';
import { expectExactlyOnce, expectWholeLog } from '../support/dataset-log.ts';
import { approveRecords, readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { allPublished } from '../support/events.ts';
import { serviceCommand } from '../support/service-command.ts';
import { smallSubmission } from '@esd/testing/records';

// A client detects the loss of its server by a missing heartbeat.
const NOTICED_MS = 60_000;

let stack: TestStack;
let api: Api;
let token: string;
let own: number[];
let total = 0;
beforeAll(async () => {
  stack = await startStack({ empty: true });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
  own = await submitRecords(api, smallSubmission(40), token);
});
afterAll(() => stack.stop());

const approve = (...recordIds: number[]) => approveRecords(api, recordIds, token);

const publicIds = async () => (await readAll(api)).map(({ recordId }) => recordId);

async function republish(service: string): Promise<void> {
  expect(await serviceCommand(stack, service, ['republish'])).toMatchObject({ code: 0 });
}

async function loseStream(): Promise<void> {
  await stack.kill('nats');
  await rm(join(stack.dataDir, 'nats'), { recursive: true });
  await stack.start('nats');
}

test('the running services recreate a stream that was lost while no event waited', async () => {
  const [before, after] = [own.splice(0, 5), own.splice(0, 5)];
  await approve(...before);
  await untilTotal(api, (total += before.length));
  await loseStream();
  await approve(...after);
  await untilTotal(api, (total += after.length), NOTICED_MS);
  await expectExactlyOnce(stack);
});

test('events that were published but not processed when the stream was lost arrive after republishing', async () => {
  const [lost, later] = [own.splice(0, 10), own.splice(0, 5)];
  await stack.kill('dataset-svc');
  await approve(...lost);
  await allPublished(stack);
  await loseStream();
  await stack.start('dataset-svc');
  await approve(...later);
  await untilTotal(api, (total += later.length), NOTICED_MS);
  expect(await publicIds()).toEqual(expect.not.arrayContaining(lost));

  await republish('submission-svc');
  await untilTotal(api, (total += lost.length), NOTICED_MS);
  await expectExactlyOnce(stack);
});

test('a restored older dataset catches up by republishing and gets a new identity', async () => {
  const [first = 0, second = 0] = own.splice(0, 2);
  await stack.kill('dataset-svc');
  await query(stack.adminUrl, 'create database esd_dataset_older template esd_dataset owner esd_dataset');
  await stack.start('dataset-svc');
  await approve(first);
  await untilTotal(api, total + 1);
  const tag = (await api.get('/public/dataset')).headers.get('etag') ?? '';
  await approve(second);
  await untilTotal(api, total + 2);

  await stack.kill('dataset-svc');
  await query(stack.adminUrl, 'drop database esd_dataset with (force)');
  await query(stack.adminUrl, 'alter database esd_dataset_older rename to esd_dataset');
  await query(stack.databaseUrl('esd_dataset'), 'update dataset_head set dataset_id = gen_random_uuid()');
  await stack.start('dataset-svc');
  await untilTotal(api, total);
  // The other services continue, and JetStream remembers the message ids of the events for some minutes.
  await republish('submission-svc');
  await untilTotal(api, (total += 2), NOTICED_MS);
  expect(await publicIds()).toEqual(expect.arrayContaining([first, second]));
  // Both arrived as one revision, whose number a reader has seen with the first event alone.
  const answer = await api.get('/public/dataset', { headers: { 'if-none-match': tag } });
  expect(answer.status).toBe(200);
  await expectExactlyOnce(stack);
});

test('republishing changes nothing if no event was lost', async () => {
  const dataset = stack.databaseUrl('esd_dataset');
  const head = await query(dataset, 'select * from dataset_head');
  const events = await query(stack.databaseUrl('esd_submission'), 'select from outbox');
  for (const service of ['identity-svc', 'submission-svc', 'export-svc']) await republish(service);
  await allPublished(stack);
  await approve(...own.splice(0, 1));
  await untilTotal(api, (total += 1));
  expect(events.length).toBeGreaterThan(30);
  expect(await query(dataset, 'select revision - 1 as before from dataset_head')).toEqual([
    { before: head[0]?.['revision'] },
  ]);
  await expectWholeLog(dataset);
});
