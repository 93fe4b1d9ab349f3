import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { watchSlowSenders } from '../../src/admission/slow-senders.ts';
import { closeAll, freePort, get, startStreamServer, startGateway } from '../upstream-servers.ts';

const sockets: Socket[] = [];
afterEach(async () => {
  jest.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeAll();
});

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

async function received(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  // A reset after the response, because the rest of the body was not read, does not matter here.
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(parts).toString();
}

/** Writes `text` every 100 ms, at most `times` times. */
async function drip(socket: Socket, text: string, times: number): Promise<void> {
  for (let time = 0; time < times && socket.writable; time++) {
    socket.write(text);
    await sleep(100);
  }
}

const TOO_LATE = /^HTTP\/1\.1 400 [^]*took too long to arrive/;
const head = (size: number, path = '/data/submit', type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${size}\r\n\r\n`;

describe('a sender', () => {
  test('with slow or missing headers or body is disconnected with an error body; a steady sender is not', async () => {
    const replica = await startStreamServer((request) => {
      request.resume();
    });
    const env = { ESD_BODIES_CLIENT_MB: '100', ESD_MEDIA_HTTP: replica };
    const { port, url } = await startGateway({ ports: [await freePort()], env });
    const cut = (first: string, part = '') => {
      const socket = open(port);
      socket.write(first);
      if (part !== '') void drip(socket, part, 300);
      return received(socket);
    };
    const unused = received(open(port));
    const late = [
      cut('GET /health HTTP/1.1\r\nHost: a\r\n'),
      cut('GET /health HTTP/1.1\r\n', 'X-Slow: a\r\n'),
      cut(`${head(10_000_000)}{`),
      cut(`${head(10_000_000)}{`, ' '.repeat(500)),
      cut(
        head(7_000_000, '/feedback/submit').replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked'),
        '1\r\n \r\n',
      ),
      cut(head(10_000_000, '/images/upload', 'multipart/form-data; boundary=x'), ' '.repeat(500)),
    ];
    // Answered immediately; the rest of the body is aborted too.
    const answered = [
      cut(head(10_000_000, '/health'), ' '),
      cut(head(10_000_000, '/data/parse-excel', 'multipart/form-data; boundary=x'), ' '),
    ];
    const steady = open(port);
    steady.write(head(2_000 * 90));
    const answer = once(steady, 'data').then(([data]) => String(data));
    await drip(steady, '['.padEnd(2_000), 90);
    // 20 KB/s for 9 s, or less on a busy machine: read completely, and rejected for its content.
    expect(await answer).toMatch(/^HTTP\/1\.1 400 [^]*20 levels/);
    for (const text of await Promise.all(late)) expect(text).toMatch(TOO_LATE);
    for (const text of await Promise.all(answered)) expect(text).toMatch(/^HTTP\/1\.1 (405|401) /);
    // A connection without a byte is closed without a response.
    expect(await unused).toBe('');
    expect((await get(`${url}/health`)).status).toBe(200);
  });

  test('does not count as slow while its bytes wait for a service behind the gateway', () => {
    jest.useFakeTimers();
    const server = createServer();
    const cut = jest.fn();
    watchSlowSenders(server, cut);
    const socket = new Socket();
    Object.defineProperty(socket, 'bytesRead', { value: 1_000 });
    const request = Object.assign(new IncomingMessage(socket), { headers: { 'content-length': '19000000' } });
    request.push(Buffer.alloc(1_000));
    server.emit('request', request, new ServerResponse(request));
    jest.advanceTimersByTime(60_000);
    expect(cut).not.toHaveBeenCalled();
    request.read();
    jest.advanceTimersByTime(5_000);
    expect(cut).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(cut).toHaveBeenCalledTimes(1);
    server.emit('close');
  });
});

describe('connections', () => {
  /** Opens connections that have a response. The gateway accepts others later, in any order, and refuses them if it is full then. */
  const openConnections = async (port: number, count: number): Promise<Socket[]> => {
    const opened: Socket[] = [];
    while (opened.length < count) {
      const socket = open(port);
      socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
      const answer: unknown[] = await once(socket, 'data');
      if (String(answer[0]).startsWith('HTTP/1.1 200 ')) opened.push(socket);
    }
    return opened;
  };
  const ask = async (port: number): Promise<string> => {
    const socket = open(port);
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    return received(socket);
  };

  /** Repeats a request, because the gateway may not have noticed yet that a connection was closed. */
  const askUntil = async (port: number, status: number): Promise<string> => {
    for (;;) {
      const answer = await ask(port);
      if (answer.startsWith(`HTTP/1.1 ${status} `)) return answer;
    }
  };

  test('of one address are limited by the setting, and closing one frees a slot', async () => {
    const { port } = await startGateway({
      ports: [await freePort()],
      env: { ESD_CONNECTIONS_CLIENT: '5', ESD_CONNECTIONS: '100' },
    });
    const [first] = await openConnections(port, 5);
    expect(await askUntil(port, 429)).toContain('RATE_LIMITED');
    first?.destroy();
    await askUntil(port, 200);
  });

  test.each(['1', '127.0.0.0/8', '::ffff:127.0.0.1'])(
    'of a trusted proxy (%s) are limited only by the total',
    async (proxies) => {
      const { port } = await startGateway({
        ports: [await freePort()],
        env: { ESD_CONNECTIONS_CLIENT: '5', ESD_CONNECTIONS: '20', ESD_TRUSTED_PROXIES: proxies },
      });
      await openConnections(port, 19);
      expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
      await openConnections(port, 1);
      expect(await askUntil(port, 503)).toContain('UNAVAILABLE');
    },
  );
});
