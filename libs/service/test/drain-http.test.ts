import { once } from 'node:events';
import { Agent, createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { drainHttp } from '../src/drain-http.ts';

async function start(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => {
    answer(response);
  }).listen(0, '127.0.0.1');
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const asked = get({ port, agent });
  await once(server, 'request');
  return { server, asked };
}

test('an answer that runs is finished, and its connection, then idle, does not hold the end', async () => {
  const { server, asked } = await start((response) => {
    setTimeout(() => response.end('whole'), 300);
  });
  const answered = once(asked, 'response');
  const started = performance.now();
  const drained = drainHttp(server, 20);
  const [response] = (await answered) as [AsyncIterable<Buffer>];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe('whole');
  await drained;
  expect(performance.now() - started).toBeLessThan(3_000);
});

test('an answer that does not end is cut after the given time', async () => {
  const { server, asked } = await start((response) => response.write('part'));
  const cut = new Promise((resolve) => {
    asked.on('response', (response) => response.on('error', resolve).resume());
  });
  const started = performance.now();
  await drainHttp(server, 0.3);
  expect(performance.now() - started).toBeGreaterThan(250);
  await cut;
});
