import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { StatusServiceService } from '@esd/proto/esd/common/v1/status';
import { prepareRpcServer, type RpcService, rpcService, startRpcServer } from '@esd/service/rpc/rpc-server';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { replicasOf, serviceReplicas } from '../../src/upstream/service-replicas.ts';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const call = { requestId: 'of-a-test' };
// Long enough for a busy machine.
const PATIENT_MS = 60_000;
const peer = { serviceAssertions: namedPeer('gateway'), tls: undefined };

/** Returns a replica that reports this host. */
function reports(host: string): RpcService {
  const none = { ready: true, dependencies: [], warnings: [], disks: [], unknown: [] };
  return rpcService(StatusServiceService, {
    listWarnings: () => Promise.reject(new Error('not called in this test')),
    getStatus: async () => ({
      ...none,
      version: '1.0.0',
      host,
      startedAt: new Date(),
      outbox: undefined,
      events: undefined,
      dataset: undefined,
    }),
  });
}

async function serve(...services: RpcService[]): Promise<number> {
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services,
    guard: trustingGuard(),
    log: pino({ level: 'silent' }),
  });
  closing.push(() => server.drain(0));
  return server.port;
}

/** Returns a port that accepts connections but never responds. */
async function silentPort(): Promise<number> {
  // Nothing reads from the socket, so it does not notice that the other end has closed.
  const server = createServer((socket) => closing.push(() => void socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = await prepareRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [],
    guard: trustingGuard(),
    log: pino({ level: 'silent' }),
  });
  const port = await server.open();
  await server.drain(0);
  return port;
}

const nowhere = 'dns:///no-such-host.invalid:1';
const NONE = {
  'dataset-svc': nowhere,
  'identity-svc': nowhere,
  'submission-svc': nowhere,
  'media-svc': nowhere,
  'export-svc': nowhere,
};

test('each replica reports its own status: an absent one is AWAY, one that rejects the call has NO_STATUS', async () => {
  const ports = [await serve(reports('one')), await serve(reports('two')), await freePort(), await serve()];
  const target = `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  const [service] = await serviceReplicas({ ...NONE, 'dataset-svc': target }, peer, PATIENT_MS)(call);
  expect(service?.name).toBe('dataset-svc');
  const answers = service?.replicas.map(({ answer }) => (typeof answer === 'string' ? answer : answer.host));
  expect(answers).toEqual(['one', 'two', 'AWAY', 'NO_STATUS']);
  expect(service?.replicas.map(({ address }) => address)).toEqual(ports.map((port) => `127.0.0.1:${port}`));
});

test('a silent replica is AWAY after the timeout', async () => {
  const target = `ipv4:127.0.0.1:${await silentPort()}`;
  const [service] = await serviceReplicas({ ...NONE, 'dataset-svc': target }, peer, 200)(call);
  expect(service?.replicas.map(({ answer }) => answer)).toEqual(['AWAY']);
});

test('a name resolves to one replica per address; a name without addresses has none', async () => {
  const port = await serve(reports('named'));
  const [service, none] = await serviceReplicas(
    { ...NONE, 'dataset-svc': `dns:///localhost:${port}` },
    peer,
    PATIENT_MS,
  )(call);
  const answered = service?.replicas.find(({ address }) => address === `127.0.0.1:${port}`)?.answer;
  expect(answered).toMatchObject({ host: 'named' });
  expect(none).toEqual({ name: 'identity-svc', replicas: [] });
});

test.each([
  [
    'ipv4:10.0.0.1:1,10.0.0.2:2',
    [
      { address: '10.0.0.1:1', target: 'ipv4:10.0.0.1:1' },
      { address: '10.0.0.2:2', target: 'ipv4:10.0.0.2:2' },
    ],
  ],
  ['ipv6:[::1]:1', [{ address: '[::1]:1', target: 'ipv6:[::1]:1' }]],
  ['unix:/run/a.sock', [{ address: 'unix:/run/a.sock', target: 'unix:/run/a.sock' }]],
  ['127.0.0.1:5', [{ address: '127.0.0.1:5', target: 'ipv4:127.0.0.1:5' }]],
  ['dns:[::1]:5', [{ address: '[::1]:5', target: 'ipv6:[::1]:5' }]],
])('resolves the replicas of %s', async (target, replicas) => {
  expect(await replicasOf(target)).toEqual(replicas);
});

test('the certificate is verified for the name, not for the resolved address', async () => {
  expect(await replicasOf('dns:///localhost:5')).toContainEqual({
    address: '127.0.0.1:5',
    target: 'ipv4:127.0.0.1:5',
    serverName: 'localhost',
  });
});
