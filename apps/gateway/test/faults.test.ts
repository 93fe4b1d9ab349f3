import { once } from 'node:events';
import { get as httpGet, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { RULES } from '@esd/record/rules';
import { ServiceError } from '@esd/service/errors';
import { settled } from '@esd/testing/settled';
import {
  closeAll,
  exchange,
  freePort,
  get,
  post,
  startStreamServer,
  startUpstream,
  startGateway,
} from './upstream-servers.ts';

afterEach(closeAll);

/** Repeats `work` until one run takes less than `ms`. If none does, the cause is a timeout, not a busy machine. */
async function untilWithin(ms: number, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const started = performance.now();
    await work();
    const taken = performance.now() - started;
    if (taken < ms) return;
    if (tries === 5) throw new Error(`always takes more than ${ms} ms; last time ${taken.toFixed(0)} ms`);
  }
}

const state = { datasetId: 'one', revision: 1, recordCount: 0 };
const page = { state, total: 0, recordsJson: Buffer.alloc(0), records: 0, rules: RULES };
const getHead = () => Promise.resolve({ state });
const answering = { dataset: { getHead, queryRecords: () => Promise.resolve(page) } };

describe('a service behind the gateway', () => {
  test('returns 503 with Retry-After immediately while it is down, and works again after a restart', async () => {
    const port = await freePort();
    const { url } = await startGateway({ ports: [port] });
    for (const ask of [
      () => get(`${url}/public/dataset`),
      () => get(`${url}/metadata/units`),
      () => post(`${url}/data/submit`, '{}'),
      () => post(`${url}/data/submit`, '{}', { authorization: 'Bearer x' }),
      () => get(`${url}/auth/me`, { headers: { authorization: 'Bearer x' } }),
    ]) {
      // Before the deadline of a call.
      await untilWithin(5_000, async () => {
        const answer = await ask();
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
        expect(answer.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
        expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|svc/);
      });
    }
    await startUpstream(answering, port);
    while ((await get(`${url}/public/dataset`)).status !== 200) await sleep(100);
  });

  test('returns 503 within the deadline of a read if it does not respond', async () => {
    const silent = () => new Promise<never>(() => undefined);
    const { port } = await startUpstream({ dataset: { getHead: silent, queryRecords: silent } });
    const { url } = await startGateway({ ports: [port] });
    await untilWithin(11_000, async () => {
      expect((await get(`${url}/public/dataset`)).status).toBe(503);
    });
  });

  test('is retried on another replica after a failure, but only for reads', async () => {
    let calls = 0;
    const failing = () => {
      calls += 1;
      return Promise.reject(new ServiceError('UNAVAILABLE', 'not now'));
    };
    const first = await startUpstream({ dataset: { getHead, queryRecords: failing }, submission: { submit: failing } });
    const second = await startUpstream(answering);
    const { url } = await startGateway({ ports: [first.port, second.port] });
    let read = 0;
    const next = async () => (await get(`${url}/public/dataset?skip=${read++}`)).status;
    // Until both are connected, the failing one may be the only one.
    while ((await next()) !== 200 || calls === 0);
    calls = 0;
    for (let more = 0; more < 6; more++) expect(await next()).toBe(200);
    expect(calls).toBeGreaterThan(0);
    calls = 0;
    const only = await startGateway({ ports: [first.port] });
    expect((await post(`${only.url}/data/submit`, '{}')).status).toBe(503);
    expect(calls).toBe(1);
  });

  test('reports only the request id of an unexpected error; the log has the details', async () => {
    const broken = () => Promise.reject(new Error('secret of the database'));
    const { port } = await startUpstream({ dataset: { getHead, queryRecords: broken } });
    const { url, log } = await startGateway({ ports: [port] });
    const answer = await get(`${url}/public/dataset`);
    expect(answer.status).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'INTERNAL' });
    expect(answer.text).not.toContain('secret');
    const id = answer.headers.get('x-request-id') ?? '';
    expect(log.some((line) => line.includes(id) && line.includes('unexpected error'))).toBe(true);
  });

  test('has its call canceled when the caller disconnects', async () => {
    let called = Promise.withResolvers<void>();
    let canceled = Promise.withResolvers<void>();
    const { port } = await startUpstream({
      reference: {
        getLists: async (_request, { signal }) => {
          called.resolve();
          await once(signal, 'abort');
          canceled.resolve();
          throw new Error('the caller has disconnected');
        },
      },
    });
    const gateway = await startGateway({ ports: [port] });
    // Before the deadline of the call.
    await untilWithin(4_000, async () => {
      [called, canceled] = [Promise.withResolvers(), Promise.withResolvers()];
      const request = httpGet(`${gateway.url}/metadata/units`).on('error', () => undefined);
      await called.promise;
      request.destroy();
      await canceled.promise;
    });
    expect(gateway.log.join('')).not.toMatch(/unexpected error|unavailable/);
  });

  test('is listed in /ready by name, and only dataset-svc makes it 503', async () => {
    const { port } = await startUpstream({});
    const up = await startGateway({ ports: [port] });
    await up.readiness.check();
    const ready = await get(`${up.url}/ready`);
    expect([ready.status, ready.json()]).toEqual([
      200,
      {
        ready: true,
        dependencies: expect.objectContaining({ 'dataset-svc': 'up', 'identity-svc': 'up' }),
        warnings: [],
      },
    ]);
    const down = await startGateway({ ports: [await freePort()] });
    await down.readiness.check();
    const away = await get(`${down.url}/ready`);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect(away.json()).toMatchObject({ success: false, ready: false, dependencies: { 'dataset-svc': 'down' } });
    expect((await get(`${down.url}/health`)).status).toBe(200);
  });
});

test('warnings of a service are listed in /ready, which stays 200', async () => {
  let warnings = ['nats is down'];
  const server = await startUpstream({ status: { listWarnings: () => Promise.resolve({ warnings }) } });
  const gateway = await startGateway({ ports: [server.port] });
  await gateway.readiness.check();
  expect(await gateway.warnings.check()).toHaveLength(5);
  const ready = await get(`${gateway.url}/ready`);
  expect([ready.status, ready.json()]).toMatchObject([200, { ready: true }]);
  expect(ready.json()).toHaveProperty('warnings.3', 'media-svc: nats is down');
  warnings = [];
  expect(await gateway.warnings.check()).toEqual([]);
});

describe('an internal HTTP endpoint behind the gateway', () => {
  const path = '/public/dataset/export?format=json';
  const startProxy = async (exportHttp: string[]) => startGateway({ ports: [await freePort()], exportHttp });

  test('gets the internal headers, none forged by the caller, and its response is proxied completely', async () => {
    let seen: { url: string | undefined; headers: IncomingHttpHeaders } | undefined;
    const replica = await startStreamServer((request, response) => {
      seen = { url: request.url, headers: request.headers };
      response.writeHead(200, { etag: '"e"', 'content-disposition': 'attachment', 'keep-alive': 'timeout=5' });
      response.end('[1]');
    });
    const { url } = await startProxy([replica]);
    for (const extra of [{}, { expect: '100-continue' }] as Record<string, string>[]) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = {
          authorization: 'Bearer secret',
          cookie: 'secret',
          'x-esd-service': 'dataset-svc',
          'x-esd-service-token': 'guess',
          'x-esd-assertion': 'guess',
          'x-request-id': 'guess',
          te: 'trailers',
          'if-none-match': '"x"',
          ...extra,
        };
        httpGet(`${url}/api${path}`, { headers }, resolve).on('error', reject);
      });
      expect(answer.statusCode).toBe(200);
      expect(Buffer.concat(await answer.toArray()).toString()).toBe('[1]');
      expect(answer.headers).toMatchObject({ etag: '"e"', 'content-disposition': 'attachment' });
      expect(answer.headers['keep-alive']).not.toBe('timeout=5');
      expect(seen?.url).toBe('/public/dataset/export');
      expect(seen?.headers).toEqual({
        host: expect.stringContaining('127.0.0.1'),
        connection: expect.any(String),
        'if-none-match': '"x"',
        'x-request-id': answer.headers['x-request-id'],
        'x-esd-stream-request': expect.any(String),
        'x-esd-client-ip': '127.0.0.1',
        'x-esd-service-assertion': expect.any(String),
      });
    }
  });

  test('keeps or closes the connection of the caller as requested', async () => {
    const replica = await startStreamServer((_request, response) => response.end('[]'));
    const { port, url } = await startProxy([replica]);
    const closed = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(closed).toMatch(/\r\nconnection: close\r\n/i);
    expect((await get(url + path)).headers.get('connection')).toBe('keep-alive');
  });

  test('takes turns with its other replicas, and is skipped while it is down', async () => {
    const calls = [0, 0];
    const replicas = await Promise.all(
      calls.map((_, index) =>
        startStreamServer((_request, response) => {
          calls[index] = (calls[index] ?? 0) + 1;
          response.end('[]');
        }),
      ),
    );
    const { url } = await startProxy([`http://127.0.0.1:${await freePort()}`, ...replicas]);
    for (let call = 0; call < 9; call++) expect((await get(url + path)).status).toBe(200);
    expect(calls.every((count) => count >= 3)).toBe(true);
  });

  test('gets a new connection after a replica has ended, even if one address represents all replicas', async () => {
    let calls = 0;
    const replica = await startStreamServer((request, response) => {
      calls++;
      if (calls === 2) request.socket.destroy();
      else response.end('[]');
    });
    const { url } = await startProxy([replica]);
    for (const count of [1, 3]) {
      expect((await get(url + path)).status).toBe(200);
      expect(calls).toBe(count);
    }
  });

  test('returns 503 if all replicas are down, or if it disconnects before it responds', async () => {
    const gone = `http://127.0.0.1:${await freePort()}`;
    const hangsUp = await startStreamServer((request) => request.socket.destroy());
    for (const replicas of [[gone], [gone, gone], [hangsUp]]) {
      const answer = await get((await startProxy(replicas)).url + path);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(answer.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
    }
  });

  test('has its errors proxied with their body', async () => {
    const replica = await startStreamServer((_request, response) => {
      response.writeHead(501, { 'content-type': 'application/json' }).end('{"code":"NOT_IMPLEMENTED"}');
    });
    const answer = await get((await startProxy([replica])).url + path);
    expect([answer.status, answer.text]).toEqual([501, '{"code":"NOT_IMPLEMENTED"}']);
  });

  test.each(['chunked', 'with a length'])('never makes an interrupted answer (%s) look complete', async (kind) => {
    const replica = await startStreamServer((_request, response) => {
      if (kind !== 'chunked') response.setHeader('content-length', 1_000);
      response.write('[1,');
      setTimeout(() => response.destroy(), 50);
    });
    const { url, log } = await startProxy([replica]);
    await expect(get(url + path)).rejects.toThrow();
    while (!log.some((line) => line.includes('request aborted'))) await sleep(10);
  });

  test('has its request aborted when the caller disconnects', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const replica = await startStreamServer((_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(1_000)), 10);
      response.on('close', () => {
        clearInterval(timer);
        resolve();
      });
    });
    const { url } = await startProxy([replica]);
    const request = httpGet(url + path, (response) => {
      response.once('data', () => request.destroy());
    }).on('error', () => undefined);
    await ended;
  });

  test('is slowed down by a caller that does not read', async () => {
    let written = 0;
    const replica = await startStreamServer((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        do written += chunk.length;
        while (response.write(chunk) && written < 500_000_000);
      };
      response.on('drain', more);
      more();
    });
    const { url } = await startProxy([replica]);
    const request = httpGet(url + path).on('error', () => undefined);
    await once(request, 'response');
    await settled(() => written, 50_000_000);
    expect(written).toBeGreaterThan(0);
    request.destroy();
  });

  test('gets no GET with a body, which could be used for request smuggling', async () => {
    const replica = await startStreamServer((_request, response) => response.end('[]'));
    const { port } = await startProxy([replica]);
    const text = `GET ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`;
    expect(await exchange(port, text)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
