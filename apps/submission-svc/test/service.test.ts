import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openNats } from '@esd/events/nats';
import { SUBJECTS } from '@esd/events/stream';
import { AccountDeleted } from '@esd/proto/esd/events/v1/account_deleted';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { FeedbackServiceService } from '@esd/proto/esd/submission/v1/feedback';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { openDatabase } from '@esd/service/database/postgres';
import { createLog } from '@esd/service/health/log';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import type { RunningServers } from '@esd/service/start-servers';
import { startNats, type TestNats } from '@esd/testing/nats';
import { testPeers } from '@esd/testing/peers';
import { createDatabase, type TestDatabase } from '@esd/testing/servers';
import type { Kysely } from 'kysely';
import { commands } from '../src/commands.ts';
import { loadConfig } from '../src/config.ts';
import { approveRecords } from '../src/review/review.ts';
import { startSubmission } from '../src/service.ts';
import type { Tables } from '../src/tables.ts';
import { admin, moderator, reviewBy, storeRecords, user } from './builders.ts';

const TARGET = 'esd.submission.v1.FeedbackService';
const peers = testPeers('submission-svc');
const log = createLog('submission-svc', 'silent');

let nats: TestNats;
let testDatabase: TestDatabase;
let database: Kysely<Tables>;
let service: RunningServers;
beforeAll(async () => {
  [nats, testDatabase] = await Promise.all([startNats(), createDatabase('submission')]);
  const config = loadConfig({
    ...nats.config,
    ...peers.settings,
    ESD_DATABASE_URL: testDatabase.url,
    ESD_GRPC_LISTEN: '127.0.0.1:0',
    // Nothing listens there: these tests need neither service.
    ESD_DATASET_TARGET: '127.0.0.1:1',
    ESD_MEDIA_TARGET: '127.0.0.1:1',
  });
  await commands['migrate']?.(config, log, []);
  service = await startSubmission(config, log);
  database = openDatabase<Tables>(testDatabase.url, 2, log);
});
afterAll(async () => {
  await service.stop();
  await database.destroy();
  await testDatabase.drop();
  await nats.dispose();
});

test('a migrated service is ready and serves calls without dataset-svc and media-svc', async () => {
  const client = rpcClient(FeedbackServiceService, {
    service: 'submission-svc',
    target: `ipv4:127.0.0.1:${await service.grpcPort}`,
    serviceAssertions: peers.serviceAssertions,
  });
  try {
    const feedback = { name: 'Ada', category: 'data', subject: 'A unit', message: 'Is it kV?', image: undefined };
    const { id } = await client.submitFeedback(feedback, { requestId: 'r', clientIp: '192.0.2.1' });
    const stored = await database.selectFrom('feedback').select('message').where('id', '=', id).executeTakeFirst();
    expect(stored?.message).toBe('Is it kV?');
    const read = (caller: Caller) =>
      client.getFeedback({ id }, { requestId: 'r', assertions: peers.assertionsOf(caller, TARGET) });
    await expect(read(admin)).resolves.toMatchObject({ feedback: { message: 'Is it kV?' } });
    await expect(read(user)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const assertions = testPeers('submission-svc').assertionsOf(admin, TARGET);
    await expect(client.getFeedback({ id }, { requestId: 'r', assertions })).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  } finally {
    client.channel.close();
  }
  const answer = await fetch(`http://127.0.0.1:${service.httpPort}/ready`);
  expect(await answer.json()).toMatchObject({ ready: true, dependencies: { postgres: 'up' } });
});

test('an approval publishes its event', async () => {
  const receiver = openNats(nats.config, 'test', log);
  try {
    const connection = await receiver.connected;
    const approved = connection.subscribe(SUBJECTS.recordApproved, { max: 1 });
    await connection.flush();
    const [recordId = 0] = await storeRecords(database, 1);
    await approveRecords(database, [{ recordId, revision: undefined }], reviewBy(moderator));
    for await (const { data } of approved)
      expect(RecordApproved.decode(data)).toMatchObject({ recordId, recordRevision: 1 });
    expect(approved.getProcessed()).toBe(1);
  } finally {
    await receiver.close();
  }
});

test('the event of a deleted account erases its records', async () => {
  const accountId = randomUUID();
  await storeRecords(database, 2, { ...user, accountId });
  const sender = openNats(nats.config, 'test', log);
  try {
    const body = AccountDeleted.encode({ accountId, deletedAt: new Date() }).finish();
    const isThere = () =>
      database.selectFrom('record').select('id').where('owner_account_id', '=', accountId).executeTakeFirst();
    const connection = await sender.connected;
    while (await isThere()) {
      // Messages are lost until the stream exists.
      connection.publish(SUBJECTS.accountDeleted, body);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await sender.close();
  }
});
