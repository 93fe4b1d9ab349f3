import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { isReady } from '../src/services.ts';

test('only a response of the process itself makes it ready', async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/busy' ? 503 : 200, { 'x-process-id': process.pid }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const isReadyAt = (path: string, pid: number): Promise<boolean> =>
    isReady(`http://127.0.0.1:${port}${path}`, pid, {});
  try {
    expect(await isReadyAt('/ready', process.pid)).toBe(true);
    expect(await isReadyAt('/busy', process.pid)).toBe(false);
    // Simulates another process on the port.
    expect(await isReadyAt('/ready', process.pid + 1)).toBe(false);
  } finally {
    server.close();
  }
});
