import { once } from 'node:events';
import { Agent, createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { httpDrain } from '../../src/http/drain-http.ts';

async function start(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => {
    answer(response);
  });
  const drain = httpDrain(server);
  server.listen(0, '127.0.0.1');
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const sent = get({ port, agent });
  await once(server, 'request');
  return { port, drain, sent };
}

test('a running response completes, and its idle connection does not delay the drain', async () => {
  const { promise: ready, resolve: end } = Promise.withResolvers<void>();
  const { drain, sent } = await start((response) => void ready.then(() => response.end('whole')));
  const answered = once(sent, 'response');
  const drained = drain(600);
  end();
  const [response] = (await answered) as [AsyncIterable<Buffer>];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe('whole');
  await drained;
});

test('a response that does not end is closed after the given number of seconds', async () => {
  const { drain, sent } = await start((response) => response.write('part'));
  const cut = new Promise((resolve) => {
    sent.on('response', (response) => response.on('error', resolve).resume());
  });
  const started = performance.now();
  await drain(0.3);
  expect(performance.now() - started).toBeGreaterThan(250);
  await cut;
});

test('a connection without a request does not delay the drain', async () => {
  const { port, drain, sent } = await start((response) => response.end('whole'));
  const [response] = (await once(sent, 'response')) as [{ resume: () => void }];
  response.resume();
  const early = connect(port, '127.0.0.1');
  await once(early, 'connect');
  await drain(600);
});

test('a request on an idle connection during the drain is answered, and the connection closes', async () => {
  const { port, drain, sent } = await start((response) => response.end('whole'));
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const received: string[] = [];
  idle.on('data', (data: Buffer) => received.push(data.toString()));
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  idle.write(request);
  await once(idle, 'data');
  expect(received.join('')).toMatch(/\r\nConnection: keep-alive\r\n/);
  const drained = drain(600);
  received.length = 0;
  // Idle connections close a second after the start of the drain.
  idle.write(request);
  await once(idle, 'close');
  expect(received.join('')).toMatch(/^HTTP\/1.1 200 OK\r\n(.*\r\n)*Connection: close\r\n(.*\r\n)*\r\n.*whole/);
  sent.destroy();
  await drained;
});
