import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { retryForever } from '@esd/service/retry';
import { openDatabase } from '@esd/service/database/postgres';
import { startNatsCluster, type TestNatsCluster } from '@esd/testing/nats';
import { createDatabase } from '@esd/testing/servers';
import { startConsumer } from '../src/consumer.ts';
import { type Nats, openNats } from '../src/nats.ts';
import { addToOutbox, type OutboxTables } from '../src/outbox.ts';
import { startRelay } from '../src/relay.ts';
import { DURABLES, ensureStream, STREAM, SUBJECTS } from '../src/stream.ts';
import { createOutbox } from './outbox-table.ts';

const log = pino({ level: 'silent' });
const EVENTS = 400;
const { durable, subject } = DURABLES.datasetRecordApproved;

let cluster: TestNatsCluster;
let database: Kysely<OutboxTables>;
let url: string;
let drop: () => Promise<void>;
let nats: Nats;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  cluster = await startNatsCluster();
  ({ url, drop } = await createDatabase('stream_replicas'));
  database = openDatabase<OutboxTables>(url, 6, log);
  await createOutbox(database);
  nats = openNats({ ...cluster.config, ESD_STREAM_REPLICAS: 3 }, 'test', log);
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await nats.close();
  await database.destroy();
  await drop();
  await cluster.dispose();
});

/** Repeats a request, because the servers may still be electing the leader of their group. */
function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
  return retryForever(ask, { onFailure: () => undefined });
}

test('a stream with three replicas loses and duplicates no event when its leader is killed', async () => {
  const expected = Array.from({ length: EVENTS }, (_, index) => `event ${index}`);
  const handled: string[] = [];
  const { promise: half, resolve: reachHalf } = Promise.withResolvers<void>();
  const stopConsumer = startConsumer({
    nats,
    durable,
    subject,
    decode: (body) => Buffer.from(body).toString(),
    handle: (events) => {
      handled.push(...events);
      if (handled.length > EVENTS / 4) reachHalf();
      return Promise.resolve();
    },
    log,
  });
  stops.push(startRelay({ database, databaseUrl: url, nats, log }).stop, stopConsumer);
  // One transaction per event, so that the relay publishes while the leader is killed.
  const writing = (async () => {
    for (const text of expected) {
      const event = { subject: SUBJECTS.recordApproved, body: Buffer.from(text) };
      await database.transaction().execute((transaction) => addToOutbox(transaction, [event]));
    }
  })();
  await half;
  const manager = await jetstreamManager(await nats.connected, { checkAPI: false });
  const before = await manager.streams.info(STREAM);
  expect(before.config.num_replicas).toBe(3);
  const leader = before.cluster?.leader ?? '';
  await cluster.servers.get(leader)?.kill();
  await writing;
  while (new Set(handled).size < EVENTS) await sleep(50);
  const after = await patiently(() => manager.streams.info(STREAM));
  expect(after.cluster?.leader).not.toBe(leader);
  expect(after.state.messages).toBe(EVENTS);
  expect([...new Set(handled)].sort()).toEqual(expected.sort());
  const consumer = await patiently(() => manager.consumers.info(STREAM, durable));
  expect(consumer.cluster?.replicas).toHaveLength(2);
  // An operator changes the replicas of an existing stream; the setting does not.
  const connection = await nats.connected;
  await patiently(() => ensureStream(connection, 1));
  expect((await patiently(() => manager.streams.info(STREAM))).config.num_replicas).toBe(3);
});
