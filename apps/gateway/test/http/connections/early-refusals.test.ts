import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { refuseEarly } from '../../../src/http/connections/early-refusals.ts';

const REFUSAL = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
const PAGE = 'GET /page?filter=1 HTTP/1.1\r\nHost: a\r\n';

let isRefusing: boolean;
let refused: string[];
let served: string[];
let server: ReturnType<typeof createServer>;
let sockets: Socket[];

beforeEach(async () => {
  [isRefusing, refused, served, sockets] = [true, [], [], []];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      served.push(`${request.method} ${request.url} ${Buffer.concat(parts).toString()}`.trim());
      response.end('served');
    });
  });
  refuseEarly(server, {
    isRefusing: () => isRefusing,
    refuse: ({ method, url }) => {
      if (url.startsWith('/health')) return undefined;
      refused.push(`${method} ${url}`);
      return REFUSAL;
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

function open(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  return socket;
}

async function accepted(): Promise<Socket> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  return socket;
}

/** Sends the first part, and the second one after the server has received the first. Returns the status of the response. */
async function statusOf(first: string, second?: string): Promise<number> {
  const connection = accepted();
  const socket = open();
  socket.write(first);
  if (second !== undefined) {
    await once(await connection, 'readable');
    socket.write(second);
  }
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return Number(answer.toString('latin1', 9, 12));
}

test('a GET is refused before the HTTP server parses it, and its connection closes', async () => {
  const socket = open();
  socket.write(`${PAGE}\r\n`);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'close');
  expect(Buffer.concat(parts).toString()).toBe(REFUSAL);
  expect([refused, served]).toEqual([['GET /page?filter=1'], []]);
});

test.each([
  ['a request that is not refused', ['GET /health HTTP/1.1\r\nHost: a\r\n\r\n'], 'GET /health'],
  ['a request of another origin', [`${PAGE}Origin: https://b.example\r\n\r\n`], 'GET /page?filter=1'],
  ['a revalidation', [`${PAGE}if-none-match: "a"\r\n\r\n`], 'GET /page?filter=1'],
  ['a request with a body', ['POST /page HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo', 'dy'], 'POST /page body'],
  ['a GET with a body', ['GET /page HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n', 'body'], 'GET /page body'],
  ['a head in two parts', [PAGE, '\r\n'], 'GET /page?filter=1'],
])('%s reaches the HTTP server with all its bytes', async (_, [first = '', second], expected) => {
  expect(await statusOf(first, second)).toBe(200);
  expect([refused, served]).toEqual([[], [expected]]);
});

test('bytes that are not HTTP get the response of the HTTP server', async () => {
  expect(await statusOf('\u0016\u0003\u0001\r\n\r\n')).toBe(400);
});

test('a connection without a request reaches the HTTP server after a second', async () => {
  const connection = accepted();
  const socket = open();
  // Only the HTTP server listens for data.
  const { promise: isServed, resolve } = Promise.withResolvers<void>();
  (await connection).on('newListener', (event) => event === 'data' && resolve());
  await isServed;
  socket.write(`${PAGE}\r\n`);
  await once(socket, 'data');
  expect(served).toEqual(['GET /page?filter=1']);
});

test('a client that disconnects without a request leaves no connection', async () => {
  const connection = accepted();
  const socket = open();
  const closed = new Promise((resolve) => void connection.then((one) => one.once('close', resolve)));
  await connection;
  socket.resetAndDestroy();
  await closed;
});

test('without overload, the HTTP server gets each connection', async () => {
  isRefusing = false;
  expect(await statusOf(`${PAGE}\r\n`)).toBe(200);
  expect([refused, served]).toEqual([[], ['GET /page?filter=1']]);
});
