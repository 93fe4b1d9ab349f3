import { afterEach, expect, test } from '@jest/globals';
import { Lists, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { resolveName } from '@esd/record/reference';
import { ServiceError } from '@esd/service/errors';
import { rpcClient } from '@esd/service/rpc-client';
import { rpcService, startRpcServer } from '@esd/service/rpc-server';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { pino } from 'pino';
import { keepReferences } from '../src/reference/reference-cache.ts';

const log = pino({ level: 'silent' });
const call = { requestId: 'r' };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** dataset-svc with one polymer for each revision; an answer waits, once it has been read, until `open` resolves. */
async function startLists() {
  const service = { revision: 1, asked: 0, open: Promise.resolve() };
  const never = () => Promise.reject(new ServiceError('NOT_IMPLEMENTED', 'The lists are only read here.'));
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [
      rpcService(ReferenceServiceService, {
        getLists: async ({ knownRevision }) => {
          service.asked += 1;
          const { revision, open } = service;
          const polymers = Array.from({ length: revision }, (_, i) => ({
            id: i + 1,
            name: `P${i + 1}`,
            aliases: [],
            kind: 'polymer',
            retired: false,
          }));
          await open;
          const lists = knownRevision === revision ? undefined : { ...Lists.fromPartial({}), polymers };
          return { datasetId: 'one', revision, lists };
        },
        createEntry: never,
        replaceEntry: never,
        listEntryNames: never,
        deleteEntry: never,
        listChanges: never,
      }),
    ],
    guard: trustingGuard(),
    log,
  });
  closing.push(() => server.drain(1));
  const target = `ipv4:127.0.0.1:${server.port}`;
  const client = rpcClient(ReferenceServiceService, { target, proof: namedPeer('submission-svc') });
  closing.push(() => client.channel.close());
  const cache = keepReferences(client, log);
  closing.push(() => cache.stop());
  return { service, cache };
}

test('whoever asks for the newest lists never gets those of a question that was under way', async () => {
  const { service, cache } = await startLists();
  expect((await cache.current(call)).revision).toBe(1);
  let release = (): void => undefined;
  service.open = new Promise((resolve) => (release = resolve));
  const asked = service.asked;
  const before = cache.refresh(call);
  while (service.asked === asked) await new Promise(setImmediate);
  service.revision = 2;
  const after = [cache.refresh(call), cache.refresh(call)];
  release();
  expect((await before).revision).toBe(1);
  for (const references of await Promise.all(after)) {
    expect(resolveName(references, 'polymers', 'p2')).toMatchObject({ kind: 'found' });
  }
  expect(service.asked).toBe(asked + 2);
});

test('a change is known within about a second without being asked for', async () => {
  const { service, cache } = await startLists();
  await cache.current(call);
  service.revision = 2;
  const started = Date.now();
  while ((await cache.current(call)).revision === 1 && Date.now() - started < 10_000) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(Date.now() - started).toBeLessThan(5_000);
});
