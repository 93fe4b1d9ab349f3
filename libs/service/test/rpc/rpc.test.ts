import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { pino } from 'pino';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { settled } from '@esd/testing/settled';
import { DatasetServiceService, type GetHeadResponse } from '@esd/proto/esd/dataset/v1/dataset';
import { ASSERTION, assertionVerifier } from '../../src/auth/caller-assertion.ts';
import { type ErrorCode, ERROR_CODES } from '@esd/api/error-codes';
import { eventually } from '@esd/testing/eventually';
import { ServiceError } from '../../src/errors.ts';
import { callLimits, Overloaded } from '../../src/rpc/call-limit.ts';
import { rpcClient, type RpcClientOptions } from '../../src/rpc/rpc-client.ts';
import {
  type CallContext,
  LIVENESS,
  rpcService,
  type RpcServer,
  type RpcServerOptions,
  startRpcServer,
} from '../../src/rpc/rpc-server.ts';
import { healthOf } from '../../src/rpc/rpc-health.ts';
import type { RpcMethods } from '../../src/rpc/rpc-types.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
const TARGET = 'esd.dataset.v1.DatasetService';
const ACCOUNT = '0190d2b0-0000-7000-8000-000000000001';

const verify = assertionVerifier({ keys: [{ kty: 'EC', crv: 'P-256', x, y, kid: 'k1' }] });
const guard = trustingGuard((assertion) => verify(assertion, TARGET));

type Handlers = RpcMethods<DatasetServiceService, CallContext>;

const head = (revision: number): GetHeadResponse => ({
  state: { datasetId: 'one', revision, recordCount: 0 },
});

const SCAN = { filter: undefined, atLeast: undefined, sort: [], normalized: false, fields: [], once: false };

const handlers: Handlers = {
  getHead: () => Promise.resolve(head(1)),
  queryRecords: () => Promise.reject(new Error('not called in this test')),
  getRecord: () => Promise.reject(new Error('not called in this test')),
  getRecordHistory: () => Promise.reject(new Error('not called in this test')),
  getRecordProgress: () => Promise.reject(new Error('not called in this test')),
  explainFilter: () => Promise.reject(new Error('not called in this test')),
  getFeatureRanges: () => Promise.reject(new Error('not called in this test')),
  explore: () => Promise.reject(new Error('not called in this test')),
  scanRecords: async function* () {
    yield await Promise.reject(new Error('not called in this test'));
  },
};

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(
  changed: Partial<Handlers>,
  options: Partial<Pick<RpcServerOptions, 'connectionMs' | 'listen'>> = {},
): Promise<RpcServer> {
  const server = await startRpcServer({
    listen: { host: '127.0.0.1', port: 0 },
    services: [rpcService(DatasetServiceService, { ...handlers, ...changed })],
    guard,
    log: pino({ level: 'silent' }),
    ...options,
  });
  closing.push(() => server.drain(1));
  return server;
}

function connect(ports: number[], options: Partial<RpcClientOptions<DatasetServiceService>> = {}) {
  const client = rpcClient(DatasetServiceService, {
    service: 'dataset-svc',
    target: `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
    serviceAssertions: namedPeer('gateway'),
    timeoutMs: 60_000,
    ...options,
  });
  closing.push(() => {
    client.channel.close();
  });
  return client;
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

function assertion(changed: jwt.SignOptions = {}, claims: object = {}): string {
  return jwt.sign({ role: 'MODERATOR', credential: 'session', ...claims }, privateKey, {
    algorithm: 'ES256',
    keyid: 'k1',
    subject: ACCOUNT,
    issuer: ASSERTION.issuer,
    audience: TARGET,
    expiresIn: 60,
    header: { alg: 'ES256', typ: ASSERTION.type },
    ...changed,
  });
}

test('a small request overtakes large ones that were sent before it', async () => {
  const begun: number[] = [];
  const server = await serve({
    explainFilter: ({ filter }) => {
      begun.push(filter?.conditions[0]?.key.length ?? 0);
      const none = Buffer.alloc(0);
      return Promise.resolve({ ...head(1), total: 0, conditionsJson: none, recordConditionsJson: none });
    },
  });
  const client = connect([server.port]);
  const send = (bytes: number) =>
    client.explainFilter(
      { filter: { conditions: [{ key: 'x'.repeat(bytes), condition: undefined }] }, once: false },
      { requestId: 'r', deadline: Date.now() + 60_000 },
    );
  await send(1);
  await Promise.all([...Array.from({ length: 40 }, () => send(1_000_000)), send(2)]);
  expect(begun.indexOf(2)).toBeLessThan(20);
});

describe('errors over a real socket', () => {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  test.each(codes)('%s arrives as the same error', async (code) => {
    const thrown = new ServiceError(code, `the words of ${code}: µ, "quotes" and 漢字`);
    const server = await serve({ getHead: () => Promise.reject(thrown) });
    const received = await failure(connect([server.port]).getHead({ atLeast: undefined }, { requestId: 'r' }));
    expect(received).toEqual(thrown);
    expect(received).toBeInstanceOf(ServiceError);
  });

  test('an unexpected error arrives without details', async () => {
    const server = await serve({ getHead: () => Promise.reject(new Error('relation "secret" does not exist')) });
    const received = await failure(connect([server.port]).getHead({ atLeast: undefined }, { requestId: 'r' }));
    expect(received).toMatchObject({ code: 'INTERNAL' });
    expect(String(received)).not.toContain('secret');
  });

  test('a very long message does not break the connection', async () => {
    const server = await serve({
      getHead: () => Promise.reject(new ServiceError('CONFLICT', 'x'.repeat(1_000_000))),
    });
    const client = connect([server.port]);
    expect(await failure(client.getHead({ atLeast: undefined }, { requestId: 'r' }))).toMatchObject({
      code: 'CONFLICT',
    });
    expect(await failure(client.getHead({ atLeast: undefined }, { requestId: 'r' }))).toMatchObject({
      code: 'CONFLICT',
    });
  });
});

describe('time', () => {
  test('a missing response is UNAVAILABLE at the deadline, and the handler is aborted', async () => {
    const aborted = Promise.withResolvers<void>();
    const server = await serve({
      getHead: async (_, { signal }) => {
        await once(signal, 'abort');
        aborted.resolve();
        return head(1);
      },
    });
    const client = connect([server.port], { timeoutMs: 2_000 });
    // A call that must connect first could end before it reaches the handler.
    await healthOf(client.channel, LIVENESS);
    const received = await failure(client.getHead({ atLeast: undefined }, { requestId: 'r' }));
    expect(received).toMatchObject({ code: 'UNAVAILABLE' });
    await aborted.promise;
  });

  test('the signal of a call that succeeded does not abort', async () => {
    const signals: AbortSignal[] = [];
    const server = await serve({
      getHead: (_, { signal }) => {
        signals.push(signal);
        return Promise.resolve(head(1));
      },
    });
    await connect([server.port]).getHead({ atLeast: undefined }, { requestId: 'r' });
    // The stream of the call has closed when the server has no calls left.
    await server.drain(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test('a call with too little time left is not sent', async () => {
    let called = false;
    const server = await serve({
      getHead: () => {
        called = true;
        return Promise.resolve(head(1));
      },
    });
    const received = await failure(
      connect([server.port]).getHead({ atLeast: undefined }, { requestId: 'r', deadline: Date.now() + 10 }),
    );
    expect(received).toMatchObject({ code: 'UNAVAILABLE' });
    expect(called).toBe(false);
  });

  test('draining lets the running call end and accepts no new call', async () => {
    const [begun, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await serve({
      getHead: async () => {
        begun.resolve();
        await answer.promise;
        return head(7);
      },
    });
    const client = connect([server.port]);
    const running = client.getHead({ atLeast: undefined }, { requestId: 'r' });
    await begun.promise;
    const drained = server.drain(60);
    answer.resolve();
    await expect(running).resolves.toEqual(head(7));
    await drained;
    expect(await failure(client.getHead({ atLeast: undefined }, { requestId: 'r' }))).toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});

describe('replicas', () => {
  test('a read is retried on another replica; other calls are not', async () => {
    const calls = { good: 0, broken: 0 };
    const good = await serve({
      getHead: () => {
        calls.good += 1;
        return Promise.resolve(head(1));
      },
    });
    const broken = await serve({
      getHead: () => {
        calls.broken += 1;
        return Promise.reject(new ServiceError('UNAVAILABLE', 'this replica is away'));
      },
    });
    const reads = connect([good.port, broken.port], { retry: ['getHead'] });
    const writes = connect([good.port, broken.port]);
    const outcomes = async (client: typeof reads) => {
      const results = [];
      for (let i = 0; i < 10; i += 1)
        results.push(await failure(client.getHead({ atLeast: undefined }, { requestId: 'r' })));
      return results.filter((result) => result === undefined).length;
    };
    // At first, only one of the two may be connected.
    while (calls.good === 0 || calls.broken === 0) await outcomes(reads);
    calls.broken = 0;
    expect(await outcomes(reads)).toBe(10);
    expect(calls.broken).toBeGreaterThan(0);
    let done = 0;
    while (done === 0 || done === 10) done = await outcomes(writes);
  });

  test('a replica that restarts at the same address receives calls again', async () => {
    const first = await serve({});
    const client = connect([first.port]);
    await client.getHead({ atLeast: undefined }, { requestId: 'r' });
    await first.drain(0.1);
    expect(await failure(client.getHead({ atLeast: undefined }, { requestId: 'r' }))).toMatchObject({
      code: 'UNAVAILABLE',
    });
    const again = await startRpcServer({
      listen: { host: '127.0.0.1', port: first.port },
      services: [rpcService(DatasetServiceService, handlers)],
      guard,
      log: pino({ level: 'silent' }),
    });
    closing.push(() => again.drain(1));
    while ((await failure(client.getHead({ atLeast: undefined }, { requestId: 'r' }))) !== undefined) await sleep(50);
    await expect(client.getHead({ atLeast: undefined }, { requestId: 'r' })).resolves.toEqual(head(1));
  });
});

describe('the caller', () => {
  test('the handler receives the caller of a valid assertion, and no caller without an assertion', async () => {
    const callers: unknown[] = [];
    const server = await serve({
      getHead: (_, { caller }) => {
        callers.push(caller);
        return Promise.resolve(head(1));
      },
    });
    const client = connect([server.port]);
    await client.getHead({ atLeast: undefined }, { requestId: 'r', assertions: new Map([[TARGET, assertion()]]) });
    await client.getHead({ atLeast: undefined }, { requestId: 'r' });
    expect(callers).toEqual([{ accountId: ACCOUNT, role: 'MODERATOR', credential: 'session' }, undefined]);
  });

  const [header, payload] = assertion().split('.');
  test.each([
    ['no JWT', 'nonsense'],
    [
      'alg none',
      `${Buffer.from('{"alg":"none","typ":"esd-assertion+jwt","kid":"k1"}').toString('base64url')}.${payload}.`,
    ],
    ['a foreign signature', `${header}.${payload}.${Buffer.alloc(64, 1).toString('base64url')}`],
    ['a session token type', assertion({ header: { alg: 'ES256', typ: 'JWT' } })],
    ['another issuer', assertion({ issuer: 'someone-else' })],
    ['another audience', assertion({ audience: 'esd-api' })],
    ['an unknown key', assertion({ keyid: 'k2' })],
    ['an expired one', assertion({ expiresIn: -1 })],
    ['an unknown role', assertion({}, { role: 'GOD' })],
  ])('an assertion with %s is rejected', async (_, bad) => {
    const server = await serve({});
    const call = connect([server.port]).getHead(
      { atLeast: undefined },
      { requestId: 'r', assertions: new Map([[TARGET, bad]]) },
    );
    expect(await failure(call)).toMatchObject({ code: 'TOKEN_INVALID' });
  });
});

describe('streams', () => {
  const chunk = {
    part: { $case: 'records' as const, value: { recordsJson: [Buffer.alloc(64 * 1024)] } },
    matching: 0,
  };

  test('the source waits for a slow reader', async () => {
    let made = 0;
    const server = await serve({
      scanRecords: async function* () {
        for (; made < 2_000; made += 1) yield await Promise.resolve(chunk);
      },
    });
    const stream = connect([server.port]).scanRecords(SCAN, { requestId: 'r' });
    for await (const _ of stream) {
      // 2,000 chunks are 128 MB; the flow-control window is 4 MB.
      await settled(() => made, 400);
      break;
    }
  });

  test('a stream continues over a connection that accepts no new calls', async () => {
    const chunks = 90;
    const server = await serve(
      {
        scanRecords: async function* () {
          for (let made = 0; made < chunks; made += 1) {
            await sleep(100);
            yield chunk;
          }
        },
      },
      { connectionMs: 500 },
    );
    let count = 0;
    // Longer than the ping interval of a connection.
    for await (const _ of connect([server.port]).scanRecords(SCAN, { requestId: 'r' })) count += 1;
    expect(count).toBe(chunks);
  });

  test('a failure during a stream reaches the reader as an error, never as the end of the stream', async () => {
    const server = await serve({
      scanRecords: async function* () {
        yield await Promise.resolve(chunk);
        throw new ServiceError('UNAVAILABLE', 'the store went away');
      },
    });
    const read = async () => {
      let count = 0;
      for await (const _ of connect([server.port]).scanRecords(SCAN, { requestId: 'r' })) count += 1;
      return count;
    };
    await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('the source stops when the reader stops reading', async () => {
    const ended = Promise.withResolvers<void>();
    const server = await serve({
      scanRecords: async function* () {
        try {
          for (;;) {
            yield chunk;
            await sleep(5);
          }
        } finally {
          ended.resolve();
        }
      },
    });
    for await (const _ of connect([server.port]).scanRecords(SCAN, { requestId: 'r' })) break;
    await ended.promise;
  });
});

describe('more calls than a replica or its caller accepts', () => {
  /** Serves a method whose calls end when the test opens the gate. */
  const serveGate = async () => {
    const gate = Promise.withResolvers<GetHeadResponse>();
    const arrived: string[] = [];
    const { port } = await serve({
      getHead: (_request, { requestId }) => {
        arrived.push(requestId);
        return gate.promise;
      },
    });
    const until = (count: number) => eventually(() => arrived.length >= count);
    return { port, arrived, until, open: () => gate.resolve(head(1)) };
  };
  const anyLimits = callLimits({ ESD_UPSTREAM_CONCURRENCY: 1_000, ESD_UPSTREAM_WAIT_MS: 0 });

  test('a replica refuses its 257th call with Retry-After, and the caller does not retry it', async () => {
    const { port, arrived, until, open } = await serveGate();
    const client = connect([port], { retry: ['getHead'], limits: anyLimits });
    const calls = Array.from({ length: 256 }, () => client.getHead({ atLeast: undefined }, { requestId: 'early' }));
    await until(256);
    const retry = jest.spyOn(anyLimits('dataset-svc'), 'takeRetry');
    const refusal = await failure(client.getHead({ atLeast: undefined }, { requestId: 'late' }));
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('256 calls') });
    expect([1, 2, 3]).toContain(refusal instanceof ServiceError ? refusal.retryAfterSeconds : undefined);
    expect(retry).not.toHaveBeenCalled();
    open();
    await Promise.all(calls);
    expect(await client.getHead({ atLeast: undefined }, { requestId: 'later' })).toEqual(head(1));
    expect(arrived.filter((requestId) => requestId === 'late')).toEqual([]);
  });

  test('clients of a process share the slots of a service, and a call beyond them is never sent', async () => {
    const { port, arrived, until, open } = await serveGate();
    const limits = callLimits({ ESD_UPSTREAM_CONCURRENCY: 2, ESD_UPSTREAM_WAIT_MS: 0 });
    const [one, other] = [connect([port], { limits }), connect([port], { limits, retry: ['getHead'] })];
    const calls = [
      one.getHead({ atLeast: undefined }, { requestId: 'a' }),
      other.getHead({ atLeast: undefined }, { requestId: 'b' }),
    ];
    await until(2);
    expect(await failure(other.getHead({ atLeast: undefined }, { requestId: 'c' }))).toBeInstanceOf(Overloaded);
    const reserved = other.getHead({ atLeast: undefined }, { requestId: 'd', isReserved: true });
    await until(3);
    open();
    await Promise.all([...calls, reserved]);
    expect(arrived).toEqual(['a', 'b', 'd']);
  });

  test('once the budget is used up, the first error is final', async () => {
    let attempts = 0;
    const { port } = await serve({
      getHead: () => {
        attempts += 1;
        return Promise.reject(new ServiceError('UNAVAILABLE', 'This replica is still catching up.'));
      },
    });
    const limits = callLimits();
    const client = connect([port], { retry: ['getHead'], limits });
    // Attempts that take more than a second are not repeated.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    expect(await failure(client.getHead({ atLeast: undefined }, { requestId: 'retried' }))).toMatchObject({
      code: 'UNAVAILABLE',
    });
    clock.mockRestore();
    expect(attempts).toBe(4);
    while (limits('dataset-svc').takeRetry());
    expect(await failure(client.getHead({ atLeast: undefined }, { requestId: 'final' }))).toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(attempts).toBe(5);
  });

  test('a call whose caller disconnects before its turn does not begin', async () => {
    const began: string[] = [];
    const gone = new AbortController();
    const { port } = await serve({
      getHead: (_request, { requestId }) => {
        began.push(requestId);
        if (requestId === '0') gone.abort();
        return Promise.resolve(head(1));
      },
    });
    const client = connect([port], { limits: anyLimits });
    await client.getHead({ atLeast: undefined }, { requestId: 'connected' });
    // One of these calls begins in each turn of the event loop, so the cancellation overtakes the last one.
    const earlier = Array.from({ length: 200 }, (_, number) =>
      client.getHead({ atLeast: undefined }, { requestId: String(number) }),
    );
    const canceled = failure(client.getHead({ atLeast: undefined }, { requestId: 'canceled', signal: gone.signal }));
    await Promise.all([...earlier, canceled]);
    await client.getHead({ atLeast: undefined }, { requestId: 'next' });
    expect(began).toContain('next');
    expect(began).not.toContain('canceled');
  });
});

test('health is NOT_SERVING until the process is ready, but liveness is SERVING', async () => {
  const server = await serve({});
  const { channel } = connect([server.port]);
  expect(await healthOf(channel)).toBe('NOT_SERVING');
  expect(await healthOf(channel, LIVENESS)).toBe('SERVING');
  server.setServing(true);
  expect(await healthOf(channel)).toBe('SERVING');
});

test.each<[target: string, host: string | undefined]>([
  ['ipv4:127.0.0.1', undefined],
  ['ipv6:[::1]', undefined],
  ['ipv6:[::1]', '::1'],
])('a caller reaches %s of a server whose address has the host %s', async (target, host) => {
  const { port } = await serve({}, { listen: { host, port: 0 } });
  const { channel } = connect([], { target: `${target}:${port}` });
  expect(await healthOf(channel, LIVENESS)).toBe('SERVING');
});
