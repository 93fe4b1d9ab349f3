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
const clients = services.filter(usesNats);
const consumers = clients.flatMap(({ name, durables }) =>
  Object.entries(durables).map(([durable, subject]) => ({ name, durable, subject })),
);

let dataDir: string;
let server: Child;
let url: string;
/** A connection for each service, as it has it. */
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
  if (!found) throw new Error(`${name} is no client`);
  return found;
}

function publisherOf(subject: string): Service {
  const found = clients.find(({ publishes }) => publishes.includes(subject));
  if (!found) throw new Error(`nobody publishes ${subject}`);
  return found;
}

describe.each(consumers)('$durable', ({ name, durable, subject }) => {
  test('gets its events, buries what it cannot decode, and handles it once more, with the rights of its service', async () => {
    const seen: string[] = [];
    let isMended = false;
    const options = {
      nats: natsOf(name),
      durable,
      subject,
      decode: (body: Uint8Array) => {
        const text = Buffer.from(body).toString();
        if (text === 'broken' && !isMended) throw new Error('broken');
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
    for (const text of ['broken', durable]) await jetstream(connection).publish(subject, text);
    const stop = startConsumer(options);
    while (!seen.includes(durable)) await new Promise((resolve) => setTimeout(resolve, 20));
    await stop();
    isMended = true;
    expect(await redrive(options)).toBeGreaterThan(0);
    expect(seen).toContain('broken');
  });
});

describe('media-svc', () => {
  const OWN = 'media-svc-record-approved';
  const OTHERS = 'dataset-svc-account-deleted';

  /** `refused`: the server does not let it through. Else what JetStream answers. */
  async function ask(subject: string, request: object = {}): Promise<string> {
    const connection = await connect({
      servers: url,
      user: 'media-svc',
      pass: 'secret',
      inboxPrefix: inboxPrefix('media-svc'),
    });
    try {
      const answer = await connection.request(subject, JSON.stringify(request), { timeout: 10_000 });
      const text = answer.string();
      return text.includes('"error"') ? `error: ${text}` : 'done';
    } catch (error) {
      return error instanceof Error && /permission/i.test(error.message + String(error.cause))
        ? 'refused'
        : String(error);
    } finally {
      await connection.close();
    }
  }

  /** Whether the server lets it subscribe to a subject. */
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
    ['reads another’s consumer', `$JS.API.CONSUMER.INFO.${STREAM}.${OTHERS}`, {}],
    ['takes another’s events', `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${OTHERS}`, { batch: 1 }],
    ['acknowledges for another', `$JS.ACK.${STREAM}.${OTHERS}.1.1.1.1.0`, {}],
    ['removes another’s consumer', `$JS.API.CONSUMER.DELETE.${STREAM}.${OTHERS}`, {}],
    [
      'changes another’s consumer',
      `${create}.${OTHERS}.esd.account.deleted.v1`,
      config(OTHERS, 'esd.account.deleted.v1'),
    ],
    ['makes one more', `${create}.mine.esd.record.approved.v1`, config('mine', 'esd.record.approved.v1')],
    ['makes one that receives all', `${create}.${OWN}`, config(OWN, 'esd.>')],
    ['makes one without a name', create, { stream_name: STREAM, config: { ack_policy: 'none' } }],
    ['makes one in the old way', `$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.${OWN}`, config(OWN, 'esd.>')],
    [
      'makes its own consumer receive another subject',
      `${create}.${OWN}.esd.account.deleted.v1`,
      config(OWN, 'esd.account.deleted.v1'),
    ],
    ['reads a message', `$JS.API.STREAM.MSG.GET.${STREAM}`, { seq: 1 }],
    ['reads it directly', `$JS.API.DIRECT.GET.${STREAM}`, { seq: 1 }],
    ['changes the stream', `$JS.API.STREAM.UPDATE.${STREAM}`, { name: STREAM, subjects: ['x'] }],
    ['empties the stream', `$JS.API.STREAM.PURGE.${STREAM}`, {}],
    ['removes the stream', `$JS.API.STREAM.DELETE.${STREAM}`, {}],
    ['copies the stream', '$JS.API.STREAM.CREATE.COPY', { name: 'COPY', sources: [{ name: STREAM }] }],
    ['buries for another', deadLetterSubject(OTHERS), {}],
    ['publishes a freeze', 'esd.snapshot.frozen.v1', {}],
    ['publishes a deletion', 'esd.account.deleted.v1', {}],
    ['publishes an approval', 'esd.record.approved.v1', {}],
    ['answers in another’s inbox', `${inboxPrefix('dataset-svc')}.x`, {}],
  ])('%s: refused', async (_, subject, request) => {
    expect(await ask(subject, request)).toBe('refused');
  });

  test.each([
    ['one that receives another subject than its name says', config(OWN, 'esd.account.deleted.v1')],
    [
      'one with several subjects',
      { stream_name: STREAM, config: { ...config(OWN, '').config, filter_subject: '', filter_subjects: ['esd.>'] } },
    ],
    [
      'one that delivers to the inbox of others',
      config(OWN, 'esd.record.approved.v1', { deliver_subject: `${inboxPrefix('dataset-svc')}.x` }),
    ],
  ])('makes of its own consumer %s: an error', async (_, request) => {
    expect(await ask(`${create}.${OWN}.esd.record.approved.v1`, request)).toMatch(/^error: /);
  });

  test('makes of the consumer of its dead letters one that commands the server: an error', async () => {
    const durable = `${OWN}-dead`;
    const request = config(durable, deadLetterSubject(OWN), { deliver_subject: `$JS.API.STREAM.PURGE.${STREAM}` });
    expect(await ask(`${create}.${durable}.${deadLetterSubject(OWN)}`, request)).toMatch(/^error: /);
  });

  test('receives from its own inbox alone', async () => {
    expect(await receives(`${inboxPrefix('media-svc')}.>`)).toBe(true);
    for (const subject of ['_INBOX.>', '_INBOX_dataset-svc.>', '_INBOX_*.>', '*.>', '>', '$JS.>', 'esd.>', '_R_.>']) {
      expect([subject, await receives(subject)]).toEqual([subject, false]);
    }
  });
});

test('the table of consumers by which permissions are given is the one of the services', () => {
  const table = Object.values(DURABLES).map(({ durable, subject }) => [durable, subject]);
  expect(consumers.map(({ durable, subject }) => [durable, subject]).sort()).toEqual(table.sort());
});

test('the stream is as it was made', async () => {
  const connection: NatsConnection = await natsOf('submission-svc').connected;
  const { config, state } = await (await ensureStream(connection)).streams.info(STREAM);
  expect(config.subjects).toContain('esd.dead.*');
  expect(state.messages).toBeGreaterThanOrEqual(2 * consumers.length);
});

test('the stream is purged with the rights of submission-svc, and with those of nobody else', async () => {
  const later = Date.now() + 100 * 86_400_000;
  const purgeAs = async (name: string) => purgeStream(await natsOf(name).connected, later);
  for (const { name } of clients.filter(({ purges }) => !purges)) await expect(purgeAs(name)).rejects.toThrow();
  const outcome = await purgeAs('submission-svc');
  expect(outcome.absent).toEqual([]);
  expect(Object.keys(outcome.purged)).toContain('esd.record.approved.v1');
});
