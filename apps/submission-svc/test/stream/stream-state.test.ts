import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AckPolicy, jetstream, type JetStreamManager } from '@nats-io/jetstream';
import { pino } from 'pino';
import { startNats, type TestNats } from '@esd/testing/nats';
import { type Nats, openNats } from '@esd/events/nats';
import { deadLetterSubject, DURABLES, ensureStream, redriveDurable, STREAM } from '@esd/events/stream';
import { eventually } from '@esd/testing/eventually';
import { streamState } from '../../src/stream/stream-state.ts';

const log = pino({ level: 'silent' });
const GAP_MS = 50;
/** NATS acknowledges an event only when it is on disk, which can take seconds on a busy machine. */
const BUSY_MS = 60_000;
const { durable, subject } = DURABLES.datasetRecordApproved;

let server: TestNats;
let nats: Nats;
let manager: JetStreamManager;

beforeAll(async () => {
  server = await startNats();
  nats = openNats(server.config, 'test', log);
  manager = await ensureStream(await nats.connected);
});
afterAll(async () => {
  await nats.close();
  await server.dispose();
});

async function addDurable(name: string, filter: string): Promise<void> {
  const config = { durable_name: name, filter_subject: filter, ack_policy: AckPolicy.Explicit };
  await manager.consumers.add(STREAM, config);
}

async function publish(to: string, count: number): Promise<void> {
  const client = jetstream(await nats.connected);
  for (let number = 0; number < count; number += 1) await client.publish(to, 'x', { timeout: BUSY_MS });
}

async function acknowledge(name: string, count: number): Promise<void> {
  const consumer = await jetstream(await nats.connected).consumers.get(STREAM, name);
  for await (const message of await consumer.fetch({ max_messages: count, expires: 10_000 }))
    await message.ackAck({ timeout: BUSY_MS });
}

const own = async () => (await streamState(nats)).consumers.find(({ name }) => name === durable);

test('the state of a consumer contains its backlog, the age of the oldest event, and its dead letters', async () => {
  expect(await own()).toEqual({ name: durable, subject, deadLetters: 0 });
  await addDurable(durable, subject);
  expect(await own()).toEqual({ name: durable, subject, waiting: 0, unacknowledged: 0, deadLetters: 0 });

  await publish(subject, 1);
  // The second event is at least this much younger.
  await sleep(2 * GAP_MS);
  await publish(subject, 2);
  const asked = performance.now();
  const before = await eventually(own, (state) => state?.waiting === 3);
  expect(before).toMatchObject({ unacknowledged: 0 });
  expect(before?.oldestSeconds).toBeGreaterThanOrEqual(GAP_MS / 1_000);

  await acknowledge(durable, 1);
  const after = await own();
  expect(after).toMatchObject({ waiting: 2, unacknowledged: 0 });
  const between = (performance.now() - asked) / 1_000;
  expect(after?.oldestSeconds).toBeLessThan((before?.oldestSeconds ?? 0) + between - GAP_MS / 1_000);
  const consumer = await jetstream(await nats.connected).consumers.get(STREAM, durable);
  const taken = await consumer.next({ expires: 10_000 });
  expect(await own()).toMatchObject({ waiting: 1, unacknowledged: 1 });
  await taken?.ackAck({ timeout: BUSY_MS });
  await acknowledge(durable, 1);
  expect(await own()).toEqual({ name: durable, subject, waiting: 0, unacknowledged: 0, deadLetters: 0 });

  await addDurable(redriveDurable(durable), deadLetterSubject(durable));
  await publish(deadLetterSubject(durable), 2);
  // NATS adds a message to the backlog of a consumer after it acknowledged the message.
  await eventually(own, (state) => state?.deadLetters === 2);
  await acknowledge(redriveDurable(durable), 1);
  await eventually(own, (state) => state?.deadLetters === 1);
});
