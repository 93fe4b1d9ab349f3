import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AckPolicy, jetstream, type JetStreamManager } from '@nats-io/jetstream';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { counter, metricsText } from '@esd/service/health/metrics';
import { openDatabase } from '@esd/service/database/postgres';
import { startNats, type TestNats } from '@esd/testing/nats';
import { createDatabase } from '@esd/testing/servers';
import { redrive } from '@esd/events/consumer';
import { type Nats, openNats } from '@esd/events/nats';
import type { OutboxTables } from '@esd/events/outbox';
import { purgeStream, startPurging } from '../../src/stream/purge.ts';
import { streamGauges } from '../../src/stream/stream-state.ts';
import { deadLetterSubject, DURABLES, ensureStream, STREAM, SUBJECTS } from '@esd/events/stream';

const log = pino({ level: 'silent' });

async function purged(): Promise<number> {
  const { values } = await counter('esd_stream_purged_total').get();
  return values.reduce((sum, { value }) => sum + value, 0);
}
/** NATS acknowledges an event only when it is on disk, which can take seconds on a busy machine. */
const BUSY_MS = 60_000;
const DAY_MS = 86_400_000;
const { recordApproved, accountDeleted } = SUBJECTS;
const [dataset, media] = [DURABLES.datasetRecordApproved.durable, DURABLES.mediaRecordApproved.durable];
const dead = deadLetterSubject(dataset);

let server: TestNats;
let nats: Nats;
let manager: JetStreamManager;

// A server for each test: NATS removes the files of a deleted stream later, so creating it again can fail.
beforeEach(async () => {
  server = await startNats();
  nats = openNats(server.config, 'test', log);
  manager = await ensureStream(await nats.connected);
  for (const one of Object.values(DURABLES)) await addDurable(one.durable, one.subject);
});

afterEach(async () => {
  await nats.close();
  await server.dispose();
});

async function addDurable(durable: string, subject: string): Promise<void> {
  const config = { durable_name: durable, filter_subject: subject, ack_policy: AckPolicy.Explicit };
  await manager.consumers.add(STREAM, config);
}

async function publish(subject: string, ...texts: string[]): Promise<void> {
  const client = jetstream(await nats.connected);
  for (const text of texts) await client.publish(subject, text, { timeout: BUSY_MS });
}

async function acknowledge(durable: string, count: number): Promise<void> {
  const consumer = await jetstream(await nats.connected).consumers.get(STREAM, durable);
  const acknowledged: Promise<boolean>[] = [];
  // Waits only after the last message: the client expects heartbeats until it has read all messages, but the server sends
  // none once it has sent them.
  for await (const message of await consumer.fetch({ max_messages: count, expires: BUSY_MS })) {
    acknowledged.push(message.ackAck({ timeout: BUSY_MS }));
  }
  expect(await Promise.all(acknowledged)).toEqual(Array.from({ length: count }, () => true));
}

async function remaining(): Promise<string[]> {
  const { first_seq: first, last_seq: last } = (await manager.streams.info(STREAM)).state;
  const texts: string[] = [];
  for (let seq = first; seq <= last; seq += 1) {
    const message = await manager.streams.getMessage(STREAM, { seq });
    if (message) texts.push(message.string());
  }
  return texts;
}

const purgeAt = async (now: number) => purgeStream(await nats.connected, now);
const inEightDays = () => Date.now() + 8 * DAY_MS;

describe('a purge of the event stream', () => {
  test('removes only messages that every durable consumer has acknowledged', async () => {
    await publish(recordApproved, 'a1', 'a2', 'a3', 'a4');
    await acknowledge(dataset, 4);
    await acknowledge(media, 2);
    expect(await purgeAt(inEightDays())).toEqual({ purged: { [recordApproved]: 2 }, absent: [] });
    expect(await remaining()).toEqual(['a3', 'a4']);
    await acknowledge(media, 2);
    await purgeAt(inEightDays());
    expect(await remaining()).toEqual([]);
  });

  test('removes nothing until every consumer has acknowledged something', async () => {
    await publish(recordApproved, 'a1', 'a2');
    await acknowledge(dataset, 2);
    expect(await purgeAt(inEightDays())).toEqual({ purged: {}, absent: [] });
    expect(await remaining()).toEqual(['a1', 'a2']);
  });

  test('removes nothing of a subject with a missing consumer, and reports the consumer', async () => {
    await manager.consumers.delete(STREAM, media);
    await publish(recordApproved, 'a1');
    await publish(accountDeleted, 'b1');
    await acknowledge(dataset, 1);
    await acknowledge(DURABLES.datasetAccountDeleted.durable, 1);
    await acknowledge(DURABLES.submissionAccountDeleted.durable, 1);
    expect(await purgeAt(inEightDays())).toEqual({ purged: { [accountDeleted]: 1 }, absent: [media] });
    expect(await remaining()).toEqual(['a1']);
  });

  test('respects unknown durable consumers', async () => {
    await addDurable('of-a-newer-release', 'esd.record.>');
    await publish(recordApproved, 'a1', 'a2');
    await acknowledge(dataset, 2);
    await acknowledge(media, 2);
    await acknowledge('of-a-newer-release', 1);
    await purgeAt(inEightDays());
    expect(await remaining()).toEqual(['a2']);
  });

  test('keeps everything for 7 days', async () => {
    await publish(recordApproved, 'a1', 'a2', 'a3');
    await sleep(50);
    const between = Date.now();
    await sleep(50);
    await publish(accountDeleted, 'b1');
    await publish(recordApproved, 'a4', 'a5');
    await acknowledge(dataset, 5);
    await acknowledge(media, 5);
    await purgeAt(Date.now());
    expect(await remaining()).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5']);
    await purgeAt(between + 7 * DAY_MS);
    expect(await remaining()).toEqual(['b1', 'a4', 'a5']);
  });

  test('keeps dead letters for 90 days', async () => {
    await publish(recordApproved, 'a1');
    await publish(dead, 'dead 1');
    await publish(recordApproved, 'a2');
    await acknowledge(dataset, 2);
    await acknowledge(media, 2);
    await purgeAt(Date.now() + 89 * DAY_MS);
    expect(await remaining()).toEqual(['dead 1']);
    expect(await purgeAt(Date.now() + 91 * DAY_MS)).toEqual({ purged: { [dead]: 1 }, absent: [] });
    expect(await remaining()).toEqual([]);
  });

  test('removes the dead letters that a redrive has handled', async () => {
    await publish(dead, 'good', 'bad', 'good too');
    const handled = await redrive({
      nats,
      ...DURABLES.datasetRecordApproved,
      decode: (body) => Buffer.from(body).toString(),
      handle: ([text]) => (text === 'bad' ? Promise.reject(new Error('again')) : Promise.resolve()),
      log,
    });
    expect(handled).toBe(2);
    await purgeAt(Date.now());
    expect(await remaining()).toEqual(['bad', 'good too']);
  });

  test('reads only a few messages of many', async () => {
    const client = jetstream(await nats.connected);
    const texts = Array.from({ length: 2_000 }, (_, index) => `a${index}`);
    await Promise.all(texts.map((text) => client.publish(recordApproved, text, { timeout: BUSY_MS })));
    await acknowledge(dataset, 1_000);
    await acknowledge(dataset, 1_000);
    await acknowledge(media, 1_000);
    const connection = await nats.connected;
    const before = connection.stats().outMsgs;
    await purgeAt(inEightDays());
    expect(connection.stats().outMsgs - before).toBeLessThan(50);
    expect(await remaining()).toHaveLength(1_000);
  });

  test('counts purged messages', async () => {
    const before = await purged();
    await publish(recordApproved, 'a1', 'a2', 'a3');
    await acknowledge(dataset, 3);
    await acknowledge(media, 2);
    await purgeAt(inEightDays());
    expect((await purged()) - before).toBe(2);
  });

  test('has gauges of every consumer, of its dead letters, and of the stream', async () => {
    await publish(recordApproved, 'a1', 'a2', 'a3');
    await acknowledge(dataset, 3);
    await acknowledge(media, 1);
    await manager.consumers.delete(STREAM, DURABLES.identityRecordReviewed.durable);
    const set = await streamGauges(nats).read();
    set();
    const lines = (await metricsText()).split('\n');
    expect(lines).toContain(`esd_consumer_pending{consumer="${dataset}"} 0`);
    expect(lines).toContain(`esd_consumer_pending{consumer="${media}"} 2`);
    expect(lines).toContain(`esd_consumer_exists{consumer="${media}"} 1`);
    expect(lines).toContain('esd_consumer_exists{consumer="identity-svc-record-reviewed"} 0');
    expect(lines.some((line) => line.startsWith('esd_consumer_pending{consumer="identity-svc-record-reviewed"}'))).toBe(
      false,
    );
    expect(lines).toContain(`esd_dead_letters{consumer="${media}"} 0`);
    expect(lines.some((line) => /^esd_stream_bytes [1-9]/.test(line))).toBe(true);
  });
});

describe('the stream', () => {
  test('keeps a different configuration', async () => {
    const { config } = await manager.streams.info(STREAM);
    await manager.streams.update(STREAM, { ...config, max_bytes: 100_000_000 });
    await publish(recordApproved, 'a1');
    await ensureStream(await nats.connected);
    expect((await manager.streams.info(STREAM)).config.max_bytes).toBe(100_000_000);
    expect(await remaining()).toEqual(['a1']);
  });
});

test('one of several replicas purges, and jobs stop immediately', async () => {
  const { url, drop } = await createDatabase('purge');
  const database: Kysely<OutboxTables> = openDatabase<OutboxTables>(url, 4, log);
  try {
    await publish(recordApproved, 'a1');
    await acknowledge(dataset, 1);
    await acknowledge(media, 1);
    const jobs = [1, 2, 3].map(() => startPurging({ database, nats, log }));
    const away = startPurging({ database, nats: { ...nats, connected: new Promise(() => undefined) }, log });
    for (const job of [...jobs, away]) await job.stop();
    // The message is too young.
    expect(await remaining()).toEqual(['a1']);
  } finally {
    await database.destroy();
    await drop();
  }
});
