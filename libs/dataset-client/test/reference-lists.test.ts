import { afterEach, expect, test } from '@jest/globals';
import { Lists, ReferenceServiceService } from '@esd/proto/esd/dataset/v1/reference';
import { resolveName } from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import { rpcService, startRpcServer } from '@esd/service/rpc/rpc-server';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { pino } from 'pino';
import { openReferenceLists } from '../src/reference-lists.ts';

const log = pino({ level: 'silent' });
const call = { requestId: 'r' };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts a fake dataset-svc with one polymer per revision. Its answers wait until `open` resolves. */
async function startLists() {
  const service = { datasetId: 'one', revision: 1, requests: 0, sent: 0, open: Promise.resolve() };
  const never = () => Promise.reject(new ServiceError('NOT_IMPLEMENTED', 'The lists are only read here.'));
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [
      rpcService(ReferenceServiceService, {
        getLists: async ({ knownRevision }) => {
          service.requests += 1;
          const { datasetId, revision, open } = service;
          const polymers = Array.from({ length: revision }, (_, i) => ({
            id: i + 1,
            name: `P${i + 1}`,
            aliases: [],
            kind: 'polymer',
            retired: false,
          }));
          await open;
          const lists = knownRevision === revision ? undefined : { ...Lists.fromPartial({}), polymers };
          if (lists) service.sent += 1;
          return { datasetId, revision, lists };
        },
        createEntry: never,
        replaceEntry: never,
        listEntryNames: never,
        deleteEntry: never,
        listChanges: never,
        listPapers: never,
        importPapers: never,
        listMissingPapers: never,
      }),
    ],
    guard: trustingGuard(),
    log,
  });
  closing.push(() => server.drain(1));
  const target = `ipv4:127.0.0.1:${server.port}`;
  const client = rpcClient(ReferenceServiceService, {
    service: 'dataset-svc',
    target,
    serviceAssertions: namedPeer('submission-svc'),
  });
  closing.push(() => client.channel.close());
  return { service, lists: openReferenceLists(client) };
}

test('a refresh during a fetch waits for the next fetch, which all waiting callers share', async () => {
  const { service, lists } = await startLists();
  expect((await lists.current(call)).references.revision).toBe(1);
  let release = (): void => undefined;
  service.open = new Promise((resolve) => (release = resolve));
  const { requests } = service;
  const before = lists.refresh(call);
  while (service.requests === requests) await new Promise(setImmediate);
  service.revision = 2;
  const after = [lists.refresh(call), lists.refresh(call)];
  release();
  expect((await before).references.revision).toBe(1);
  for (const { references } of await Promise.all(after)) {
    expect(resolveName(references, 'polymers', 'p2')).toMatchObject({ kind: 'found' });
  }
  expect(service.requests).toBe(requests + 2);
});

test('the current lists are cached, and unchanged lists are not sent again', async () => {
  const { service, lists } = await startLists();
  const first = await lists.current(call);
  service.revision = 2;
  expect(await lists.current(call)).toBe(first);
  const second = await lists.refresh(call);
  expect(second.references.revision).toBe(2);
  expect(await lists.refresh(call)).toBe(second);
  expect(await lists.current(call)).toBe(second);
  expect(service.sent).toBe(2);
});

test('the lists of a different dataset are fetched even if their revision is the same', async () => {
  const { service, lists } = await startLists();
  await lists.current(call);
  service.datasetId = 'two';
  expect((await lists.refresh(call)).datasetId).toBe('two');
});

test('a failed fetch is not cached', async () => {
  const { service, lists } = await startLists();
  service.open = Promise.reject(new ServiceError('UNAVAILABLE', 'Away.'));
  service.open.catch(() => undefined);
  await expect(lists.current(call)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  service.open = Promise.resolve();
  expect((await lists.current(call)).references.revision).toBe(1);
});
