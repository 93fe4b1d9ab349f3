import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase } from '@esd/service/database/postgres';
import { startNats, type TestNats } from '@esd/testing/nats';
import { createDatabase } from '@esd/testing/servers';
import { eventually } from '@esd/testing/eventually';
import { redrive, startConsumer } from '../src/consumer.ts';
import { type Nats, openNats } from '../src/nats.ts';
import { addToOutbox, type OutboxTables, recallFromOutbox, republish } from '../src/outbox.ts';
import { startRelay } from '../src/relay.ts';
import { STREAM, SUBJECTS } from '../src/stream.ts';
import { createOutbox } from './outbox-table.ts';

const log = pino({ level: 'silent' });
/** NATS acknowledges an event only when it is on disk, which can take seconds on a busy machine. */
const BUSY_MS = 60_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

let server: TestNats;
let database: Kysely<OutboxTables>;
let url: string;
let drop: () => Promise<void>;
let nats: Nats;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startNats();
  ({ url, drop } = await createDatabase('events'));
  database = openDatabase<OutboxTables>(url, 6, log);
  await createOutbox(database);
  nats = openNats(server.config, 'test', log);
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

afterAll(async () => {
  await nats.close();
  await database.destroy();
  await drop();
  await server.dispose();
});

const relay = (through = nats): void => {
  const { stop } = startRelay({ database, databaseUrl: url, nats: through, log });
  stops.push(stop);
};

/** Starts a consumer that collects the events of a durable in a list. */
function consume(durable: string, handle?: (events: readonly string[]) => Promise<void>, consumerLog = log) {
  const seen: string[] = [];
  const options = {
    nats,
    durable,
    subject: SUBJECTS.recordApproved,
    decode: (body: Uint8Array) => {
      const text = utf8.decode(body);
      if (text.startsWith('broken')) throw new Error('broken');
      return text;
    },
    handle:
      handle ??
      ((events: readonly string[]) => {
        seen.push(...events);
        return Promise.resolve();
      }),
    log: consumerLog,
  };
  const stop = startConsumer(options);
  stops.push(stop);
  return { seen, stop, options };
}

const publishIn = (delaySeconds: number, ...texts: string[]): Promise<string[]> =>
  database.transaction().execute((transaction) =>
    addToOutbox(
      transaction,
      texts.map((text) => ({ subject: SUBJECTS.recordApproved, body: Buffer.from(text) })),
      delaySeconds,
    ),
  );
const publish = (...texts: string[]): Promise<string[]> => publishIn(0, ...texts);
const recall = (ids: readonly string[]): Promise<boolean> =>
  database.transaction().execute((transaction) => recallFromOutbox(transaction, ids));

const waiting = async (): Promise<number> => {
  const rows = await database.selectFrom('outbox').select('id').where('published_at', 'is', null).execute();
  return rows.length;
};
/** Waits until the relay has marked all events as published, which it does after consumers received them. */
const allPublished = () => eventually(async () => (await waiting()) === 0);

const stored = async (): Promise<number> =>
  (await (await jetstreamManager(await nats.connected)).streams.info(STREAM)).state.messages;

test('a tls:// URL never uses an unencrypted connection', async () => {
  // The client runs in a separate process, because it retries forever. Only the tls:// URL ends with its first failure.
  const code = `
    import { pino } from 'pino';
    import { openNats } from './src/nats.ts';
    const end = (text) => { console.log(text); process.exit(); };
    const config = JSON.parse(process.env.CONFIG);
    const level = config.ESD_NATS_URL.startsWith('tls:') ? 'debug' : 'silent';
    const log = pino({ level }, { write: (line) => end(JSON.parse(line).msg) });
    await openNats(config, 'test', log).connected;
    end('connected');`;
  const connect = async (url: string): Promise<string> => {
    const CONFIG = JSON.stringify({ ...server.config, ESD_NATS_URL: url });
    const options = { cwd: join(import.meta.dirname, '..'), env: { ...process.env, CONFIG } };
    return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], options)).stdout.trim();
  };
  expect(await connect(server.config.ESD_NATS_URL)).toBe('connected');
  expect(await connect(server.config.ESD_NATS_URL.replace('nats://', 'tls://'))).toBe(
    'nats connection failed; retrying',
  );
});

test('close ends the retries of a first connection', async () => {
  const away = openNats({ ...server.config, ESD_NATS_URL: 'nats://127.0.0.1:1' }, 'test', log);
  await away.close();
  await expect(away.connected).rejects.toThrow();
});

test('a relay with work stops immediately without a first connection to NATS', async () => {
  await publish('waits');
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const away: Nats = {
    ...nats,
    get connected() {
      reach();
      return new Promise<never>(() => undefined);
    },
  };
  const { stop } = startRelay({ database, databaseUrl: url, nats: away, log });
  await reached;
  await stop();
  expect(await waiting()).toBe(1);
  await database.deleteFrom('outbox').execute();
});

test('each event is stored once and arrives in row order', async () => {
  relay();
  const { seen } = consume('in-order');
  const texts = Array.from({ length: 500 }, (_, index) => `a${index}`);
  await publish(...texts.slice(0, 300));
  await publish(...texts.slice(300));
  await eventually(() => new Set(seen).size >= 500);
  // NATS delivers an event again if its acknowledgement was late.
  expect([...new Set(seen)]).toEqual(texts);
  expect(await stored()).toBe(500);
  // The relay marks a row after publishing it.
  await allPublished();
});

test('an event of a rolled-back transaction is never published', async () => {
  relay();
  const { seen } = consume('rolled-back');
  await expect(
    database.transaction().execute(async (transaction) => {
      await addToOutbox(transaction, [{ subject: SUBJECTS.recordApproved, body: Buffer.from('never') }]);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await publish('b');
  await eventually(() => seen.includes('b'));
  expect(seen).not.toContain('never');
});

test('two relays of one database publish each event once', async () => {
  relay();
  relay();
  await allPublished();
  const before = await stored();
  const { seen } = consume('two-relays');
  await publish('c1', 'c2', 'c3');
  await eventually(() => seen.includes('c3'));
  await publish('c4');
  await eventually(() => seen.includes('c4'));
  expect([...new Set(seen)].filter((text) => text.startsWith('c'))).toEqual(['c1', 'c2', 'c3', 'c4']);
  await allPublished();
  expect((await stored()) - before).toBe(4);
});

test('publishing the same message id several times stores one message', async () => {
  const before = await stored();
  const client = jetstream(await nats.connected);
  for (let i = 0; i < 10; i += 1)
    await client.publish(SUBJECTS.recordApproved, 'd', { msgID: 'the-same-id', timeout: BUSY_MS });
  expect((await stored()) - before).toBe(1);
});

test('events wait in the outbox while the server is down, and all arrive when it is back', async () => {
  let turns = 0;
  relay({
    ...nats,
    get connected() {
      turns += 1;
      return nats.connected;
    },
  });
  const { seen } = consume('outage');
  await publish('e0');
  await eventually(() => seen.includes('e0'));
  await allPublished();
  await server.stop();
  const before = turns;
  await publish(...Array.from({ length: 50 }, (_, index) => `e${index + 1}`));
  await eventually(() => turns > before);
  expect(await waiting()).toBe(50);
  await server.start();
  await eventually(() => seen.includes('e50'));
  await allPublished();
  expect(new Set(seen.filter((text) => text.startsWith('e'))).size).toBe(51);
});

test('an event waits for its time, and can be recalled until then', async () => {
  relay();
  const { seen } = consume('delayed');
  const [first = '', second = ''] = await publishIn(3_600, 'delayed', 'recalled');
  await publish('prompt');
  await eventually(() => seen.includes('prompt'));
  expect(seen).not.toContain('delayed');
  expect(await recall([second])).toBe(true);
  await database.updateTable('outbox').set({ created_at: new Date() }).where('id', '=', first).execute();
  await eventually(() => seen.includes('delayed'));
  await allPublished();
  expect(await recall([first])).toBe(false);
  expect(seen).not.toContain('recalled');
});

test('an event that the relay is publishing cannot be recalled', async () => {
  const { seen } = consume('in-flight');
  const ids = await publish('in flight');
  const unlocked = database.selectFrom('outbox').select('id').where('id', 'in', ids).forUpdate().skipLocked();
  const blocked = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  let recalled: Promise<boolean> | undefined;
  await database.transaction().execute(async (transaction) => {
    // The relay locks the rows that it publishes, but cannot mark them.
    await sql`lock table outbox in share mode`.execute(transaction);
    relay();
    await eventually(async () => (await unlocked.execute()).length === 0);
    recalled = recall(ids);
    await eventually(async () => (await blocked.execute(database)).rows[0]?.count === 2);
  });
  expect(await recalled).toBe(false);
  await eventually(() => seen.includes('in flight'));
});

test('events are retried while their store is unavailable', async () => {
  relay();
  let failures = 0;
  const seen: string[] = [];
  const lines: unknown[] = [];
  const handle = (events: readonly string[]): Promise<void> => {
    if (events.includes('f') && failures < 3) {
      failures += 1;
      return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    }
    seen.push(...events);
    return Promise.resolve();
  };
  consume('store-away', handle, pino({}, { write: (line) => lines.push(JSON.parse(line)) }));
  await publish('f');
  await eventually(() => seen.includes('f'));
  expect(failures).toBe(3);
  // Repeated failures are counted, not logged.
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'store unavailable; retrying',
      consumer: 'store-away',
      subject: SUBJECTS.recordApproved,
      eventId: expect.stringMatching(/^[\da-f-]{36}$/),
    }),
  ]);
});

test('events that are delivered again during an outage of their store are handled once', async () => {
  relay();
  let isAway = true;
  const seen: string[] = [];
  consume('long-outage', (events) => {
    if (isAway) return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    seen.push(...events);
    return Promise.resolve();
  });
  await publish(...Array.from({ length: 400 }, (_, index) => `n${index}`));
  await allPublished();
  const { consumers } = await jetstreamManager(await nats.connected);
  // An unacknowledged event is delivered again after five seconds.
  await eventually(async () => {
    const { delivered, num_ack_pending: waiting } = await consumers.info(STREAM, 'long-outage');
    return waiting >= 400 && delivered.consumer_seq >= 3 * waiting;
  });
  isAway = false;
  await publish('n400');
  await eventually(() => seen.includes('n400'));
  // The server can deliver events once more while they are acknowledged.
  expect(seen.length).toBeLessThanOrEqual(2 * new Set(seen).size);
});

test('an event that fails on its own does not block others and is redelivered', async () => {
  relay();
  let isWrong = true;
  const seen: string[] = [];
  consume('one-fails', (events) => {
    if (isWrong && events.includes('g2')) return Promise.reject(new Error('a mistake in the handler'));
    seen.push(...events);
    return Promise.resolve();
  });
  await publish('g1', 'g2', 'g3');
  await eventually(() => seen.includes('g3') && seen.includes('g1'));
  expect(seen).not.toContain('g2');
  isWrong = false;
  await eventually(() => seen.includes('g2'));
});

describe('republish', () => {
  const only = (seen: string[], letter: string) => seen.filter((text) => text.startsWith(letter));

  test('delivers recent events to every consumer again, in order', async () => {
    relay();
    const { seen } = consume('again');
    await publish('j1', 'j2', 'j3');
    await eventually(() => seen.includes('j3'));
    await allPublished();
    const all = await database.selectFrom('outbox').select('id').execute();
    expect(await republish(database)).toBe(all.length);
    await allPublished();
    await eventually(() => only(seen, 'j').length === 6);
    expect(only(seen, 'j')).toEqual(['j1', 'j2', 'j3', 'j1', 'j2', 'j3']);
  });

  test('with a time publishes only events since then', async () => {
    relay();
    const { seen } = consume('again-since');
    await publish('k1');
    await eventually(() => seen.includes('k1'));
    await allPublished();
    await sleep(20);
    const since = new Date().toISOString();
    await publish('k2');
    await eventually(() => seen.includes('k2'));
    await allPublished();
    expect(await republish(database, since)).toBe(1);
    await publish('k3');
    await eventually(() => seen.includes('k3'));
    expect(only(seen, 'k')).toEqual(['k1', 'k2', 'k2', 'k3']);
    await expect(republish(database, 'yesterday')).rejects.toThrow('"yesterday" is not a time');
  });

  test('does not publish waiting events twice', async () => {
    await publish('l1');
    await republish(database);
    relay();
    const { seen } = consume('again-waiting');
    await publish('l2');
    await eventually(() => seen.includes('l2'));
    expect(only(seen, 'l')).toEqual(['l1', 'l2']);
  });

  test('fills the stream again after its loss; relay and consumers recreate it', async () => {
    relay();
    const { seen } = consume('lost');
    await publish('m1');
    await eventually(() => seen.includes('m1'));
    await (await jetstreamManager(await nats.connected)).streams.delete(STREAM);
    await publish('m2');
    await eventually(() => seen.includes('m2'));
    expect(only(seen, 'm')).toEqual(['m1', 'm2']);
    await allPublished();
    await republish(database);
    await eventually(() => only(seen, 'm').length === 4);
    expect(only(seen, 'm')).toEqual(['m1', 'm2', 'm1', 'm2']);
  });
});

describe('dead letters', () => {
  test('an event that cannot be decoded becomes a dead letter, and redrive processes it again', async () => {
    relay();
    const { seen, options } = consume('dead');
    await publish('i1', 'broken i2', 'i3');
    await eventually(() => seen.includes('i3'));
    expect(seen).toContain('i1');
    expect(await redrive(options)).toBe(0);
    const redriven: string[] = [];
    const handled = await redrive({
      ...options,
      decode: (body: Uint8Array) => utf8.decode(body),
      handle: (events: readonly string[]) => {
        redriven.push(...events);
        return Promise.resolve();
      },
    });
    expect(handled).toBe(1);
    expect(redriven).toEqual(['broken i2']);
  });
});
