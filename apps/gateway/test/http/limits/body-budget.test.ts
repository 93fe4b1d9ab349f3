import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, post, startStreamServer, startUpstream, startGateway } from '../../upstream-servers.ts';

const MB = 1024 * 1024;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeAll();
});

/** A request whose body never ends. `answer`: the first bytes of the response. */
interface Unfinished {
  socket: Socket;
  answer: Promise<string>;
}

const STEADY_BYTES = 16 * 1024;
const STEADY_MS = 500;

function sendUnfinished(
  port: number,
  { from = '192.0.2.1', path = '/data/submit', size = String(10 * MB) },
): Unfinished {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  const type = path === '/images/upload' ? 'multipart/form-data; boundary=x' : 'application/json';
  const length = size === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`;
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${from}\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`,
  );
  socket.write(size === 'chunked' ? '1\r\n{\r\n' : '{');
  // Fast enough not to be aborted as a slow sender.
  const text = ' '.repeat(STEADY_BYTES);
  const steady = setInterval(() => {
    socket.write(size === 'chunked' ? `${STEADY_BYTES.toString(16)}\r\n${text}\r\n` : text);
  }, STEADY_MS);
  socket.once('close', () => {
    clearInterval(steady);
  });
  const answer = once(socket, 'data').then(([data]) => String(data));
  answer.catch(() => undefined);
  return { socket, answer };
}

/** Waits until all but `open` of the requests are answered, and returns the responses. */
async function answersBut(open: number, requests: readonly Unfinished[]): Promise<string[]> {
  const answers: string[] = [];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  for (const { answer } of requests) {
    void answer.then((text) => {
      answers.push(text);
      if (answers.length >= requests.length - open) resolve();
    });
  }
  await enough;
  return answers;
}

async function start(env: NodeJS.ProcessEnv = {}, submit?: () => Promise<never>) {
  const far = await startUpstream(submit ? { submission: { submit } } : {});
  return startGateway({ ports: [far.port], env: { ESD_TRUSTED_PROXIES: '1', ...env } });
}

const many = (count: number, make: (index: number) => Unfinished) => Array.from({ length: count }, (_, i) => make(i));

describe('unfinished request bodies', () => {
  test('of one client are limited to 30 MB: it then gets 429 with Retry-After, while other clients are served', async () => {
    const { port, url } = await start();
    const requests = many(60, () => sendUnfinished(port, {}));
    const answers = await answersBut(3, requests);
    expect(answers).toHaveLength(57);
    for (const text of answers) {
      expect(text).toMatch(/^HTTP\/1\.1 429 /);
      expect(text).toMatch(/\r\nRetry-After: \d+\r\n/i);
      expect(text).toContain('RATE_LIMITED');
    }
    const other = await post(`${url}/data/submit`, '[', { 'x-forwarded-for': '192.0.2.2' });
    expect(other.status).toBe(400);
    // The share is released with the connections.
    for (const { socket } of requests) socket.destroy();
    for (;;) {
      const { status } = await post(`${url}/data/submit`, '[', { 'x-forwarded-for': '192.0.2.1' });
      if (status === 400) break;
    }
  });

  test('without a Content-Length count as the limit of their route, for forms too', async () => {
    const { port } = await start({ ESD_BODIES_CLIENT_MB: '21' });
    const answers = await answersBut(
      2,
      many(3, () => sendUnfinished(port, { size: 'chunked' })),
    );
    expect(answers).toEqual([expect.stringMatching(/^HTTP\/1\.1 429 /)]);
    const upload = sendUnfinished(port, { size: 'chunked', path: '/images/upload' });
    expect(await upload.answer).toMatch(/^HTTP\/1\.1 429 /);
  });

  test('of all clients are limited to 256 MB: the response is then 503 with Retry-After', async () => {
    const { port } = await start();
    const answers = await answersBut(
      25,
      many(30, (index) => sendUnfinished(port, { from: `198.51.100.${index}` })),
    );
    expect(answers).toHaveLength(5);
    for (const text of answers) expect(text).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: \d+\r\n[^]*UNAVAILABLE/i);
  });

  test('of an IPv6 /48 are limited to eight times the share of a /64', async () => {
    const { port } = await start({ ESD_BODIES_CLIENT_MB: '10', ESD_BODIES_MB: '1000' });
    const from = (network: number, index: number) => `2001:db8:${network}:${index.toString(16)}::1`;
    const answers = await answersBut(
      8,
      many(12, (index) => sendUnfinished(port, { from: from(1, index) })),
    );
    for (const text of answers) expect(text).toMatch(/^HTTP\/1\.1 429 /);
    const elsewhere = sendUnfinished(port, { from: from(2, 1) });
    const again = sendUnfinished(port, { from: from(1, 99), size: '100' });
    expect(await again.answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(elsewhere.socket.bytesRead).toBe(0);
  });

  test('count until the request is answered, not only until they have arrived', async () => {
    const { promise: ended, reject: end } = Promise.withResolvers<never>();
    const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
    const { url } = await start({ ESD_BODIES_CLIENT_MB: '10' }, () => {
      onCall();
      return ended;
    });
    const body = `{"a":"${'x'.repeat(9 * MB)}"}`;
    const first = post(`${url}/data/submit`, body);
    await called;
    expect((await post(`${url}/data/submit`, body)).status).toBe(429);
    end(new Error('test error'));
    expect((await first).status).toBe(500);
    for (;;) if ((await post(`${url}/data/submit`, body)).status === 500) break;
  });

  test('of proxied forms no longer count while their response is pending', async () => {
    const { promise: received, resolve } = Promise.withResolvers<void>();
    const replica = await startStreamServer((request) => {
      request.resume().once('end', resolve);
    });
    const { port, url } = await startGateway({
      ports: [(await startUpstream({})).port],
      env: { ESD_MEDIA_HTTP: replica, ESD_TRUSTED_PROXIES: '1', ESD_BODIES_CLIENT_MB: '20' },
    });
    const form = { 'content-type': 'multipart/form-data; boundary=x', 'x-forwarded-for': '192.0.2.1' };
    const gone = new AbortController();
    const upload = fetch(`${url}/images/upload`, {
      method: 'POST',
      headers: form,
      body: Buffer.alloc(19 * MB),
      signal: gone.signal,
    });
    upload.catch(() => undefined);
    await received;
    const next = sendUnfinished(port, { path: '/images/upload', size: String(19 * MB) });
    const tooMuch = sendUnfinished(port, { path: '/images/upload', size: String(19 * MB) });
    expect(await tooMuch.answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(next.socket.bytesRead).toBe(0);
    gone.abort();
  });
});
