import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { RULES } from '@esd/record/rules';
import { clientAt } from '@esd/service/quota-client';
import type { ResolveBearerRequest, ResolveBearerResponse } from '@esd/proto/esd/identity/v1/identity';
import { ServiceError } from '@esd/service/errors';
import {
  closeAll,
  get,
  post,
  resolvedAdmin,
  startStreamServer,
  startUpstream,
  startGateway,
} from '../../upstream-servers.ts';

type ResolveBearer = (request: ResolveBearerRequest) => Promise<ResolveBearerResponse>;

afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

const LIMITS = {
  ESD_RATE_LIMITS: 'on',
  ESD_LIMIT_READS: '3',
  ESD_LIMIT_EXPORTS: '2',
  ESD_LIMIT_SUBMISSIONS: '2',
  ESD_LIMIT_ACCOUNTS: '2',
};

async function startLimited(env: NodeJS.ProcessEnv = {}, resolveBearer?: ResolveBearer) {
  const state = { datasetId: 'one', revision: 7, recordCount: 0 };
  const { port } = await startUpstream({
    ...(resolveBearer && { identity: { resolveBearer } }),
    dataset: {
      getHead: () => Promise.resolve({ state }),
      queryRecords: () => Promise.resolve({ state, total: 0, recordsJson: Buffer.from(''), records: 0, rules: RULES }),
    },
  });
  return startGateway({ ports: [port], env: { ...LIMITS, ...env } });
}

/** Returns the statuses of `count` requests whose X-Forwarded-For takes `addresses` in turn. */
async function statuses(url: string, count: number, ...addresses: string[]): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < count; index++) {
    const address = addresses[index % addresses.length];
    const { status } = await get(url, address === undefined ? {} : { headers: { 'x-forwarded-for': address } });
    answers.push(status);
  }
  return answers;
}

describe('a client', () => {
  test('sees the remaining requests in each response and, beyond the limit, the time to wait', async () => {
    const { url } = await startLimited();
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    for (const left of [2, 1, 0]) {
      const { status, headers } = await get(`${url}/public/dataset`);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"reads";q=3;w=60');
      expect(headers.get('ratelimit')).toBe(`"reads";r=${left};t=60`);
    }
    const refused = await get(`${url}/public/dataset`);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('ratelimit-policy')).toBe('"reads";q=3;w=60');
    expect(refused.headers.get('ratelimit')).toBe('"reads";r=0;t=60');
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect([refused.status, refused.json()]).toEqual([
      429,
      {
        success: false,
        code: 'RATE_LIMITED',
        message: 'More than 3 requests of the class "reads" came from this address within a minute; try again in 60 s.',
        requestId: refused.headers.get('x-request-id'),
      },
    ]);
  });

  test('has one limit for all routes of a class, including HEAD and both base paths', async () => {
    const { url } = await startLimited();
    expect((await get(`${url}/data/statuses`)).status).toBe(200);
    expect((await get(`${url}/api/public/dataset?limit=1`, { method: 'HEAD' })).status).toBe(200);
    expect((await get(`${url}/public/dataset?limit=0`)).status).toBe(400);
    expect((await get(`${url}/openapi.json`)).status).toBe(429);
    expect((await get(`${url}/public/dataset`, { method: 'HEAD' })).status).toBe(429);
  });

  test('continues beyond its limit in the limit of its account, at most tenfold', async () => {
    const resolved: string[] = [];
    const accountOf: Readonly<Record<string, string>> = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`token-${at}`, `0190d2b0-0000-7000-8000-00000000000${at}`]),
    );
    const { url } = await startLimited({}, ({ bearer }) => {
      resolved.push(bearer);
      const accountId = accountOf[bearer];
      if (accountId === undefined) return Promise.reject(new ServiceError('TOKEN_INVALID', 'The token is not valid.'));
      return Promise.resolve({ ...resolvedAdmin({ bearer, targets: [] }), accountId });
    });
    const read = async (token: string) => {
      const { status, headers } = await get(`${url}/public/dataset`, { headers: { authorization: `Bearer ${token}` } });
      return [status, headers.get('ratelimit')?.replace(/t=\d+/, 't')];
    };
    // Until the limit of the address is reached, a credential has no effect.
    for (const remaining of [2, 1, 0]) expect(await read('token-0')).toEqual([200, `"reads";r=${remaining};t`]);
    expect(resolved).toEqual([]);
    expect(await read('unknown')).toEqual([429, '"reads";r=0;t']);
    expect((await get(`${url}/public/dataset`)).status).toBe(429);
    const statuses: unknown[] = [];
    for (const token of Object.keys(accountOf)) {
      for (let count = 0; count < 4; count += 1) statuses.push((await read(token))[0]);
    }
    // The address has 30 requests in all, of which 5 came before.
    const ofAccount = [200, 200, 200, 429];
    expect(statuses.slice(0, 25)).toEqual([...Array.from({ length: 6 }, () => ofAccount).flat(), 200]);
    expect(new Set(statuses.slice(25))).toEqual(new Set([429]));
  });

  test('has a separate limit for each class', async () => {
    const { url } = await startLimited();
    expect(await statuses(`${url}/public/dataset`, 4)).toEqual([200, 200, 200, 429]);
    // There is no upstream server; 503 and 400 show that the limit let the request pass.
    expect(await statuses(`${url}/public/dataset/export`, 3)).toEqual([503, 503, 429]);
    for (const expected of [400, 400, 429]) expect((await post(`${url}/data/submit`, '{')).status).toBe(expected);
    for (const expected of [400, 400, 429]) expect((await post(`${url}/auth/login`, '{')).status).toBe(expected);
  });

  test('is rejected before its credential or its body is read', async () => {
    const { url } = await startLimited();
    const submit = () => post(`${url}/data/submit`, 'x'.repeat(1_000_000), { authorization: 'Bearer no-token' });
    const codes = [await submit(), await submit(), await submit()].map(({ status }) => status);
    expect([codes[0] === 429, codes[1] === 429, codes[2]]).toEqual([false, false, 429]);
  });

  test('may call /health without a limit, and pages of any origin may read the limit headers', async () => {
    const { url } = await startLimited();
    expect(await statuses(`${url}/health`, 10)).toEqual(Array.from({ length: 10 }, () => 200));
    const { headers } = await get(`${url}/health`, { headers: { origin: 'https://any.example' } });
    expect(headers.get('ratelimit')).toBeNull();
    expect(headers.get('access-control-expose-headers')).toMatch(/RateLimit,RateLimit-Policy,.*Retry-After/);
  });

  test('is not limited and sees no limit headers when limits are off', async () => {
    const { url } = await startLimited({ ESD_RATE_LIMITS: 'off' });
    expect(await statuses(`${url}/public/dataset`, 10)).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await get(`${url}/public/dataset`)).headers.get('ratelimit')).toBeNull();
  });
});

describe('X-Forwarded-For', () => {
  const all = (count: number) => Array.from({ length: count }, () => 200);
  const spoofed = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];

  test('is ignored without a trusted proxy', async () => {
    const { url } = await startLimited();
    expect(await statuses(`${url}/public/dataset`, 4, ...spoofed)).toEqual([...all(3), 429]);
  });

  test('is ignored from an address that is not a trusted proxy', async () => {
    const { url } = await startLimited({ ESD_TRUSTED_PROXIES: '192.0.2.0/24' });
    expect(await statuses(`${url}/public/dataset`, 4, ...spoofed)).toEqual([...all(3), 429]);
  });

  test.each(['1', '127.0.0.0/8', '::1, 127.0.0.1'])('is used from the trusted proxies %s', async (proxies) => {
    const { url } = await startLimited({ ESD_TRUSTED_PROXIES: proxies });
    expect(await statuses(`${url}/public/dataset`, 12, ...spoofed)).toEqual(all(12));
    expect(await statuses(`${url}/public/dataset`, 1, '192.0.2.1')).toEqual([429]);
  });

  test('is used only as far as the trusted proxies reach', async () => {
    const { url } = await startLimited({ ESD_TRUSTED_PROXIES: '1' });
    const made = spoofed.map((address) => `${address}, 198.51.100.7`);
    expect(await statuses(`${url}/public/dataset`, 4, ...made)).toEqual([...all(3), 429]);
  });

  test('without a valid address counts for the proxy', async () => {
    const { url } = await startLimited({ ESD_TRUSTED_PROXIES: '1' });
    expect(await statuses(`${url}/public/dataset`, 4, 'a', 'b', 'x'.repeat(5_000), 'unknown')).toEqual([
      ...all(3),
      429,
    ]);
  });

  test('an IPv6 /64 is one client, and an IPv4 address is the same client in both notations', async () => {
    const { url } = await startLimited({ ESD_TRUSTED_PROXIES: '1' });
    const ofOne = ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:DB8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1:8000::'];
    expect(await statuses(`${url}/public/dataset`, 4, ...ofOne)).toEqual([...all(3), 429]);
    expect(await statuses(`${url}/public/dataset`, 1, '2001:db8:0:2::1')).toEqual([200]);
    const same = ['198.51.100.7', '::ffff:198.51.100.7', '::FFFF:198.51.100.7', '::ffff:c633:6407'];
    expect(await statuses(`${url}/public/dataset`, 4, ...same)).toEqual([...all(3), 429]);
    expect(await statuses(`${url}/public/dataset`, 1, '198.51.100.8')).toEqual([200]);
  });
});

describe('a request without a route', () => {
  const origin = { origin: 'https://any.example' };

  test('counts in the class `other`: unknown paths and methods, preflight requests and malformed paths', async () => {
    const { url } = await startLimited({ ESD_LIMIT_OTHER: '6' });
    const asks: [number, () => ReturnType<typeof get>][] = [
      [404, () => get(`${url}/nothing`, { headers: origin })],
      [405, () => post(`${url}/health`, {}, origin)],
      [405, () => post(`${url}/api/public/dataset`, {}, origin)],
      [204, () => get(`${url}/data/submit`, { method: 'OPTIONS', headers: origin })],
      [
        204,
        () =>
          get(`${url}/nothing`, { method: 'OPTIONS', headers: { ...origin, 'access-control-request-method': 'GET' } }),
      ],
      [400, () => get(`${url}/%zz`, { headers: origin })],
    ];
    for (const [left, [status, ask]] of asks.entries()) {
      const answer = await ask();
      expect([left, answer.status]).toEqual([left, status]);
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"other";r=${5 - left};`));
    }
    for (const [, ask] of asks) {
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
      expect(refused.json()).toMatchObject({
        code: 'RATE_LIMITED',
        message: expect.stringContaining('6 requests of the class "other"'),
      });
    }
    // Routes have their own limits.
    expect((await get(`${url}/public/dataset`)).status).toBe(200);
  });

  test('is rejected with CORS headers, so that a page of another origin can read why', async () => {
    const { url } = await startLimited({ ESD_LIMIT_OTHER: '1' });
    const read = { ...origin, 'access-control-request-method': 'GET' };
    await get(`${url}/nothing`);
    for (const [path, method, headers] of [
      ['/nothing', 'GET', origin],
      ['/public/dataset', 'OPTIONS', read],
      ['/%zz', 'GET', origin],
    ] as const) {
      const refused = await get(url + path, { method, headers });
      expect([path, refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([path, 429, '*']);
    }
  });
});

test('files are limited by the bytes sent to an address, checked when a request begins', async () => {
  const state = { datasetId: 'one', revision: 7, recordCount: 0 };
  const { port } = await startUpstream({ dataset: { getHead: () => Promise.resolve({ state }) } });
  const file = Buffer.alloc(600_000, 'x');
  const exportHttp = await startStreamServer((request, response) => {
    const isWhole = request.headers.range === undefined;
    response.writeHead(isWhole ? 200 : 206, { 'content-length': isWhole ? file.length : 10 });
    response.end(request.method === 'HEAD' ? undefined : isWhole ? file : file.subarray(0, 10));
  });
  const env = { ...LIMITS, ESD_LIMIT_FILES_MB: '1', ESD_TRUSTED_PROXIES: '1' };
  const { url } = await startGateway({ ports: [port], exportHttp: [exportHttp], env });
  const ask = async (options: RequestInit = {}, address = '203.0.113.1') => {
    const headers = { ...Object.fromEntries(new Headers(options.headers)), 'x-forwarded-for': address };
    const { status, headers: answered } = await get(`${url}/files/r7/records.csv`, { ...options, headers });
    return {
      status,
      left: Number(/^"files";r=(\d+);t=3?\d{1,3}/.exec(answered.get('ratelimit') ?? '')?.[1]),
      answered,
    };
  };
  const first = await ask();
  expect([first.status, first.left]).toEqual([200, 1_000_000]);
  expect(first.answered.get('ratelimit-policy')).toBe('"files";q=1000000;qu="content-bytes";w=3600');
  // Small ranges and responses without a body cost the bytes that they send.
  for (let index = 0; index < 20; index++) expect((await ask({ headers: { range: 'bytes=0-9' } })).status).toBe(206);
  expect((await ask({ method: 'HEAD' })).left).toBe(399_800);
  // A request that begins within the limit is served completely.
  expect((await ask()).status).toBe(200);
  const refused = await ask({ headers: { range: 'bytes=0-9' } });
  expect([refused.status, refused.left]).toEqual([429, 0]);
  expect(Number(refused.answered.get('retry-after'))).toBeGreaterThan(3_000);
  expect((await ask({}, '203.0.113.2')).status).toBe(200);
});

test('an IPv6 /48 has eight times the limit of a /64 in each class', async () => {
  const { url } = await startLimited({ ESD_TRUSTED_PROXIES: '1', ESD_LIMIT_OTHER: '1' });
  const ofSite = (site: number) =>
    Array.from({ length: 40 }, (_, index) => `2001:db8:${site}:${index.toString(16)}::1`);
  const reads = await statuses(`${url}/public/dataset`, 40, ...ofSite(1));
  expect(reads.filter((status) => status === 200)).toHaveLength(24);
  expect(reads.slice(24).every((status) => status === 429)).toBe(true);
  const others = await statuses(`${url}/nothing`, 12, ...ofSite(1));
  expect(others).toEqual([...Array.from({ length: 8 }, () => 404), ...Array.from({ length: 4 }, () => 429)]);
  expect(await statuses(`${url}/public/dataset`, 1, ...ofSite(2))).toEqual([200]);
  const refused = await get(`${url}/public/dataset`, { headers: { 'x-forwarded-for': '2001:db8:1:ff::1' } });
  expect(refused.text).toContain('24 requests of the class \\"reads\\" came from this IPv6 network');
});

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['::ffff:c633:6407', '198.51.100.7'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['::1', '::/64'],
])('%s belongs to the client %s', (address, block) => {
  expect(clientAt(address).block).toBe(block);
});
