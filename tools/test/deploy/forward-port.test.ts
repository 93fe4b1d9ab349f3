import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reserveFreePort } from '@esd/dev-stack/free-port';
import { root } from '@esd/dev-stack/root';

let inner: Server;
let port: number;
let forwarder: ChildProcess;

async function listen(): Promise<Server> {
  // Sends back all input once the sender has closed its half.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    void text(socket).then(
      (all) => socket.end(`got ${all}`),
      () => undefined,
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function open(): Promise<Socket> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      if (forwarder.exitCode !== null) throw new Error('the forwarder has ended');
    }
  }
}

beforeAll(async () => {
  inner = await listen();
  const reserved = await reserveFreePort();
  port = reserved.port;
  await reserved.release();
  const target = `127.0.0.1:${(inner.address() as AddressInfo).port}`;
  forwarder = spawn(process.execPath, [join(root, 'tools', 'deploy', 'forward-port.ts'), String(port), target]);
});
afterAll(async () => {
  inner.close();
  const exit = once(forwarder, 'exit');
  forwarder.kill();
  expect(await exit).toEqual([0, null]);
});

test('a forwarded port passes data in both directions, each until its own end', async () => {
  const socket = await open();
  const large = 'x'.repeat(3_000_000);
  socket.end(large);
  expect(await text(socket)).toBe(`got ${large}`);
});

test('a broken client connection closes the one to the server, and an unreachable server closes that of the client', async () => {
  const accepted = once(inner, 'connection');
  const gone = await open();
  gone.write('half of it');
  const [atServer] = (await accepted) as [Socket];
  const closed = once(atServer, 'close');
  gone.resetAndDestroy();
  await closed;
  const over = once(inner, 'close');
  inner.close();
  await over;
  const refused = await open();
  expect(await text(refused).catch(() => '')).toBe('');
  // The half of the client is still open.
  refused.destroy();
});
