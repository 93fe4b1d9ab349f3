import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openNats } from '@esd/events/nats';
import { SUBJECTS } from '@esd/events/stream';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { AccountDeleted } from '@esd/proto/esd/events/v1/account_deleted';
import { openDatabase } from '@esd/service/database/postgres';
import { createLog } from '@esd/service/health/log';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import type { RunningServers } from '@esd/service/start-servers';
import { startNats, type TestNats } from '@esd/testing/nats';
import { testPeers } from '@esd/testing/peers';
import { createDatabase, type TestDatabase } from '@esd/testing/servers';
import { commands } from '../src/commands.ts';
import { type DatasetConfig, loadConfig } from '../src/config.ts';
import { startDataset } from '../src/service.ts';
import type { Tables } from '../src/tables.ts';

const peers = testPeers('dataset-svc');
const log = createLog('dataset-svc', 'silent');

let nats: TestNats;
let database: TestDatabase;
let config: DatasetConfig;
let service: RunningServers;
beforeAll(async () => {
  [nats, database] = await Promise.all([startNats(), createDatabase('dataset')]);
  config = loadConfig({
    ...nats.config,
    ...peers.settings,
    ESD_DATABASE_URL: database.url,
    ESD_GRPC_LISTEN: '127.0.0.1:0',
  });
  await commands['migrate']?.(config, log, []);
  service = await startDataset(config, log);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
  await nats.dispose();
});

test('a migrated service has its reference lists and answers calls', async () => {
  const client = rpcClient(DatasetServiceService, {
    service: 'dataset-svc',
    target: `ipv4:127.0.0.1:${await service.grpcPort}`,
    serviceAssertions: peers.serviceAssertions,
  });
  try {
    const { state } = await client.getHead({ atLeast: undefined }, { requestId: 'r' });
    expect(state).toMatchObject({ revision: 1, recordCount: 0 });
  } finally {
    client.channel.close();
  }
  const answer = await fetch(`http://127.0.0.1:${service.httpPort}/ready`);
  expect(await answer.json()).toMatchObject({ ready: true, dependencies: { postgres: 'up' } });
});

test('the service consumes events', async () => {
  const accountId = randomUUID();
  const sender = openNats(nats.config, 'test', log);
  const stored = openDatabase<Tables>(database.url, 1, log);
  try {
    const body = AccountDeleted.encode({ accountId, deletedAt: new Date() }).finish();
    const isErased = () =>
      stored.selectFrom('deleted_account').select('account_id').where('account_id', '=', accountId).executeTakeFirst();
    // Events that are published before the stream exists are lost.
    const connection = await sender.connected;
    while (!(await isErased())) {
      connection.publish(SUBJECTS.accountDeleted, body);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await sender.close();
    await stored.destroy();
  }
});
