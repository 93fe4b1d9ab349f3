import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { pino } from 'pino';
import { root } from '@esd/dev-stack/root';
import { startNats, type TestNats } from '@esd/testing/nats';
import { runCommand } from '@esd/testing/run-command';
import { type Nats, openNats } from '../src/nats.ts';
import { STREAM, SUBJECTS } from '../src/stream.ts';

const WINDOW_NS = 3_000_000_000;

let server: TestNats;
let nats: Nats;
beforeAll(async () => {
  server = await startNats();
  nats = openNats(server.config, 'test', pino({ level: 'silent' }));
});
afterAll(async () => {
  await nats.close();
  await server.dispose();
});

const stream = (verb: string): Promise<string> =>
  runCommand([process.execPath, join(root, 'tools', 'deploy', 'stream.ts'), verb], {
    env: { ...process.env, NODE_OPTIONS: '', ...server.config },
  });

test('a purged stream is reported as empty when it accepts the same events again', async () => {
  expect(await stream('count')).toBe('0\n');
  const connection = await nats.connected;
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: STREAM, subjects: ['esd.record.*.v1'], duplicate_window: WINDOW_NS });
  const publish = () =>
    jetstream(connection).publish(SUBJECTS.recordApproved, 'approved', { msgID: 'event-1', timeout: 60_000 });
  await publish();
  expect(await stream('count')).toBe('1\n');
  expect(await stream('purge')).toBe('1 messages purged\n');
  expect(await stream('count')).toBe('0\n');
  expect(await publish()).toMatchObject({ duplicate: false });
});
