import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { pino } from 'pino';
import { Child } from '@esd/dev-stack/child';
import { embeddedNats } from '@esd/dev-stack/nats';
import { natsPermissions } from '@esd/dev-stack/nats-permissions';
import { type Service, services, usesNats } from '@esd/dev-stack/service-table';
import { redrive, startConsumer } from '../src/consumer.ts';
import { inboxPrefix, type Nats, openNats } from '../src/nats.ts';
import { deadLetterSubject, DURABLES, ensureStream, STREAM } from '../src/stream.ts';
import { purgeStream } from '../../../apps/submission-svc/src/stream/purge.ts';

const log = pino({ level: 'silent' });
/** NATS acknowledges an event only when it is on disk, which can take seconds on a busy machine. */
const BUSY_MS = 60_000;
const clients = services.filter(usesNats);
const consumers = clients.flatMap(({ name, durables }) =>
  Object.entries(durables).map(([durable, subject]) => ({ name, durable, subject })),
);

let dataDir: string;
let server: Child;
let url: string;
const nats = new Map<string, Nats>();
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'esd-nats-'));
  await mkdir(join(dataDir, 'logs'));
  const users = clients.map((service) => {
    return { user: service.name, password: 'secret', permissions: natsPermissions(service) };
  });
  const embedded = await embeddedNats({ dataDir, users });
  url = embedded.url;
  const ignore = (): void => undefined;
  server = new Child(embedded.spec, ignore, ignore);
  await server.start(AbortSignal.timeout(120_000));
  for (const { name } of clients) {
    const config = { ESD_NATS_URL: url, ESD_NATS_USER: name, ESD_NATS_PASSWORD: 'secret' };
    nats.set(name, openNats(config, name, log));
  }
});
afterAll(async () => {
  for (const one of nats.values()) await one.close();
  await server.stop();
  await rm(dataDir, { recursive: true });
});

function natsOf(name: string): Nats {
  const found = nats.get(name);
  if (!found) throw new Error(`${name} is not a client`);
  return found;
}

function publisherOf(subject: string): Service {
  const found = clients.find(({ publishes }) => publishes.includes(subject));
  if (!found) throw new Error(`no service publishes ${subject}`);
  return found;
}

describe.each(consumers)('$durable', ({ name, durable, subject }) => {
  test('can consume events and redrive dead letters with the permissions of its service', async () => {
    const seen: string[] = [];
    let isFixed = false;
    const options = {
      nats: natsOf(name),
      durable,
      subject,
      decode: (body: Uint8Array) => {
        const text = Buffer.from(body).toString();
        if (text === 'broken' && !isFixed) throw new Error('broken');
        return text;
      },
      handle: (events: readonly string[]) => {
        seen.push(...events);
        return Promise.resolve();
      },
      log,
    };
    const connection = await natsOf(publisherOf(subject).name).connected;
    await ensureStream(connection);
    for (const text of ['broken', durable]) await jetstream(connection).publish(subject, text, { timeout: BUSY_MS });
    const stop = startConsumer(options);
    while (!seen.includes(durable)) await new Promise((resolve) => setTimeout(resolve, 20));
    await stop();
    isFixed = true;
    expect(await redrive(options)).toBeGreaterThan(0);
    expect(seen).toContain('broken');
  });
});

describe('media-svc', () => {
  const OWN = 'media-svc-record-approved';
  const OTHERS = 'dataset-svc-account-deleted';

  /** Sends a request. Returns `rejected` without permission, otherwise the result of JetStream. */
  async function send(subject: string, request: object = {}): Promise<string> {
    const connection = await connect({
      servers: url,
      user: 'media-svc',
      pass: 'secret',
      inboxPrefix: inboxPrefix('media-svc'),
    });
    try {
      const answer = await connection.request(subject, JSON.stringify(request), { timeout: BUSY_MS });
      const text = answer.string();
      return text.includes('"error"') ? `error: ${text}` : 'done';
    } catch (error) {
      return error instanceof Error && /permission/i.test(error.message + String(error.cause))
        ? 'rejected'
        : String(error);
    } finally {
      await connection.close();
    }
  }

  async function receives(subject: string): Promise<boolean> {
    const connection = await connect({ servers: url, user: 'media-svc', pass: 'secret' });
    try {
      let refused = false;
      connection.subscribe(subject, {
        callback: (error) => {
          refused ||= error !== null;
        },
      });
      await connection.flush();
      return !refused;
    } finally {
      await connection.close();
    }
  }

  const config = (durable: string, filter: string, more: object = {}) => ({
    stream_name: STREAM,
    config: { durable_name: durable, name: durable, filter_subject: filter, ack_policy: 'explicit', ...more },
  });
  const create = `$JS.API.CONSUMER.CREATE.${STREAM}`;

  test.each([
    ['read the consumer of another service', `$JS.API.CONSUMER.INFO.${STREAM}.${OTHERS}`, {}],
    ['fetch events of another service', `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${OTHERS}`, { batch: 1 }],
    ['acknowledge events of another service', `$JS.ACK.${STREAM}.${OTHERS}.1.1.1.1.0`, {}],
    ['delete the consumer of another service', `$JS.API.CONSUMER.DELETE.${STREAM}.${OTHERS}`, {}],
    [
      'change the consumer of another service',
      `${create}.${OTHERS}.esd.account.deleted.v1`,
      config(OTHERS, 'esd.account.deleted.v1'),
    ],
    [
      'create an additional consumer',
      `${create}.mine.esd.record.approved.v1`,
      config('mine', 'esd.record.approved.v1'),
    ],
    ['create a consumer of all events', `${create}.${OWN}`, config(OWN, 'esd.>')],
    ['create an unnamed consumer', create, { stream_name: STREAM, config: { ack_policy: 'none' } }],
    ['create a consumer with the old API', `$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.${OWN}`, config(OWN, 'esd.>')],
    [
      'change the subject of its own consumer',
      `${create}.${OWN}.esd.account.deleted.v1`,
      config(OWN, 'esd.account.deleted.v1'),
    ],
    ['read a message', `$JS.API.STREAM.MSG.GET.${STREAM}`, { seq: 1 }],
    ['read a message directly', `$JS.API.DIRECT.GET.${STREAM}`, { seq: 1 }],
    ['change the stream', `$JS.API.STREAM.UPDATE.${STREAM}`, { name: STREAM, subjects: ['x'] }],
    ['purge the stream', `$JS.API.STREAM.PURGE.${STREAM}`, {}],
    ['delete the stream', `$JS.API.STREAM.DELETE.${STREAM}`, {}],
    ['copy the stream', '$JS.API.STREAM.CREATE.COPY', { name: 'COPY', sources: [{ name: STREAM }] }],
    ['publish dead letters of another service', deadLetterSubject(OTHERS), {}],
    ['publish a freeze', 'esd.snapshot.frozen.v1', {}],
    ['publish a deletion', 'esd.account.deleted.v1', {}],
    ['publish an approval', 'esd.record.approved.v1', {}],
    ['publish to the inbox of another service', `${inboxPrefix('dataset-svc')}.x`, {}],
  ])('cannot %s', async (_, subject, request) => {
    expect(await send(subject, request)).toBe('rejected');
  });

  test.each([
    ['a consumer of a subject other than that in its name', config(OWN, 'esd.account.deleted.v1')],
    [
      'a consumer of several subjects',
      { stream_name: STREAM, config: { ...config(OWN, '').config, filter_subject: '', filter_subjects: ['esd.>'] } },
    ],
    [
      'a consumer that delivers to the inbox of another service',
      config(OWN, 'esd.record.approved.v1', { deliver_subject: `${inboxPrefix('dataset-svc')}.x` }),
    ],
  ])('cannot turn its own consumer into %s', async (_, request) => {
    expect(await send(`${create}.${OWN}.esd.record.approved.v1`, request)).toMatch(/^error: /);
  });

  test('cannot turn its dead-letter consumer into one that commands the server', async () => {
    const durable = `${OWN}-dead`;
    const request = config(durable, deadLetterSubject(OWN), { deliver_subject: `$JS.API.STREAM.PURGE.${STREAM}` });
    expect(await send(`${create}.${durable}.${deadLetterSubject(OWN)}`, request)).toMatch(/^error: /);
  });

  test('can subscribe to its own inbox only', async () => {
    expect(await receives(`${inboxPrefix('media-svc')}.>`)).toBe(true);
    for (const subject of ['_INBOX.>', '_INBOX_dataset-svc.>', '_INBOX_*.>', '*.>', '>', '$JS.>', 'esd.>', '_R_.>']) {
      expect([subject, await receives(subject)]).toEqual([subject, false]);
    }
  });
});

test('the consumers with permissions are those of the services', () => {
  const table = Object.values(DURABLES).map(({ durable, subject }) => [durable, subject]);
  expect(consumers.map(({ durable, subject }) => [durable, subject]).sort()).toEqual(table.sort());
});

test('the stream has its original configuration', async () => {
  const connection: NatsConnection = await natsOf('submission-svc').connected;
  const { config, state } = await (await ensureStream(connection)).streams.info(STREAM);
  expect(config.subjects).toContain('esd.dead.*');
  expect(state.messages).toBeGreaterThanOrEqual(2 * consumers.length);
});

test('only submission-svc may purge the stream', async () => {
  const later = Date.now() + 100 * 86_400_000;
  const purgeAs = async (name: string) => purgeStream(await natsOf(name).connected, later);
  for (const { name } of clients.filter(({ purges }) => !purges)) await expect(purgeAs(name)).rejects.toThrow();
  const outcome = await purgeAs('submission-svc');
  expect(outcome.absent).toEqual([]);
  expect(Object.keys(outcome.purged)).toContain('esd.record.approved.v1');
});
