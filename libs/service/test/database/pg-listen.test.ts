import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { listen } from '../../src/database/pg-listen.ts';

test('listening stops while the first connection is being made', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo; // of a TCP server
    const stop = listen(
      `postgres://user@127.0.0.1:${port}/none`,
      'changes',
      () => undefined,
      pino({ level: 'silent' }),
    );
    await once(server, 'connection');
    await expect(stop()).resolves.toBeUndefined();
  } finally {
    server.close();
  }
});
