import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Child } from '../src/child.ts';
import { natsPermissions } from '../src/nats-permissions.ts';
import { embeddedNats } from '../src/nats.ts';
import { services, usesNats } from '../src/service-table.ts';

const clients = services.filter(usesNats);
let dataDir: string;
let server: Child;
let port: number;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'esd-nats-'));
  await mkdir(join(dataDir, 'logs'));
  const users = clients.map((service) => {
    return { user: service.name, password: 'secret', permissions: natsPermissions(service) };
  });
  const { spec, url } = await embeddedNats({ dataDir, users });
  port = Number(new URL(url).port);
  server = new Child(
    spec,
    () => undefined,
    () => undefined,
  );
  await server.start(AbortSignal.timeout(120_000));
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true });
});

async function isAllowed(user: string, command: string): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    socket.write(`CONNECT ${JSON.stringify({ user, pass: 'secret', verbose: false })}\r\n${command}\r\nPING\r\n`);
    for await (const line of createInterface(socket)) {
      if (line.startsWith('-ERR')) return false;
      if (line === 'PONG') return true;
    }
    throw new Error('the connection ended without a response');
  } finally {
    socket.destroy();
  }
}

const publish = (user: string, subject: string) => isAllowed(user, `PUB ${subject} 2\r\nhi`);
const subscribe = (user: string, subject: string) => isAllowed(user, `SUB ${subject} 1`);

const owned = clients.flatMap(({ name, publishes }) => publishes.map((subject) => ({ subject, owner: name })));

test.each(owned)('only $owner can publish $subject', async ({ subject, owner }) => {
  const allowed = await Promise.all(clients.map(async ({ name }) => ((await publish(name, subject)) ? name : [])));
  expect(allowed.flat()).toEqual([owner]);
});

test.each([
  'esd.record.deleted.v1',
  'anything',
  '$JS.API.STREAM.DELETE.ESD',
  '$JS.API.STREAM.UPDATE.ESD',
  '$JS.API.STREAM.MSG.DELETE.ESD',
])('no service can publish %s', async (subject) => {
  for (const { name } of clients) expect([name, await publish(name, subject)]).toEqual([name, false]);
});

test.each(['$JS.API.STREAM.PURGE.ESD', '$JS.API.STREAM.MSG.GET.ESD', '$JS.API.CONSUMER.LIST.ESD'])(
  'only submission-svc, which purges the stream, can publish %s',
  async (subject) => {
    for (const { name } of clients) {
      expect([name, await publish(name, subject)]).toEqual([name, name === 'submission-svc']);
    }
  },
);

test('the gateway has no user, and each service can use only its own consumers', async () => {
  expect(clients.map(({ name }) => name)).not.toContain('gateway');
  const durables = clients.flatMap((client) =>
    Object.keys(client.durables).map((durable) => ({ durable, owner: client.name })),
  );
  for (const { durable, owner } of durables) {
    for (const { name } of clients) {
      const next = await publish(name, `$JS.API.CONSUMER.MSG.NEXT.ESD.${durable}`);
      expect([durable, name, next]).toEqual([durable, name, name === owner]);
    }
  }
  expect(await publish('dataset-svc', '$JS.API.CONSUMER.MSG.NEXT.ESD.any')).toBe(false);
});

test('no service can subscribe to events without a consumer', async () => {
  for (const { name } of clients) {
    expect([name, await subscribe(name, 'esd.record.>')]).toEqual([name, false]);
    expect([name, await subscribe(name, '>')]).toEqual([name, false]);
  }
});

test('a wrong password is refused', async () => {
  expect(await isAllowed('unknown', 'SUB _INBOX.x 1')).toBe(false);
});
