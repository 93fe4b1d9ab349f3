import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { RULES } from '@esd/record/rules';
import fc from 'fast-check';
import { Release } from '@esd/proto/esd/dataset/v1/releases';
import { ServiceError } from '@esd/service/errors';
import { counter } from '@esd/service/health/metrics';
import { FRESH_MS } from '../../src/dataset/dataset-states.ts';
import { closeAll, startGateway, startUpstream } from '../upstream-servers.ts';

/** The fake clock of the gateway: on a slow machine, no state expires early. */
let now = 0;
beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(async () => {
  jest.restoreAllMocks();
  agent.destroy();
  await closeAll();
});

const outdateState = () => {
  now += FRESH_MS;
};

const LIMIT = 100_000;
const agent = new Agent({ keepAlive: true });

/** Starts a dataset of 300 records with the release v1.0.0; the test changes its state. */
async function startDataset(env: NodeJS.ProcessEnv = {}) {
  const dataset = { id: 'one', revision: 5, isAway: false, heads: 0, queries: 0 };
  const stateAt = (revision: number) => ({ datasetId: dataset.id, revision, recordCount: 300 });
  const fail = () => Promise.reject(new ServiceError('UNAVAILABLE', 'away'));
  const { port } = await startUpstream({
    dataset: {
      getHead: () => {
        dataset.heads += 1;
        return dataset.isAway ? fail() : Promise.resolve({ state: stateAt(dataset.revision) });
      },
      queryRecords: ({ skip, limit, filter, revision = dataset.revision }) => {
        dataset.queries += 1;
        if (dataset.isAway) return fail();
        const records = Math.max(0, Math.min(limit, 300 - skip));
        const text = `at ${revision} by ${filter ? JSON.stringify(filter) : ''} `.padEnd(limit < 3 ? 0 : 600, 'x');
        const bodies = Array.from({ length: records }, (_, index) => JSON.stringify({ recordId: skip + index, text }));
        return Promise.resolve({
          state: stateAt(revision),
          total: 300,
          recordsJson: Buffer.from(bodies.join(',')),
          records,
          rules: RULES,
        });
      },
    },
    releases: {
      findRelease: ({ by }) =>
        by?.value === 'v1.0.0' || by?.value === '10.1000/182'
          ? Promise.resolve({ release: Release.fromPartial({ id: 1, identifier: 'v1.0.0', state: stateAt(3) }) })
          : Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'none')),
    },
  });
  const gateway = await startGateway({
    ports: [port],
    env: { ESD_RATE_LIMITS: 'on', ESD_LIMIT_READS: String(LIMIT), ESD_HSTS: '60', ...env },
  });
  return { gateway, dataset };
}

async function ask(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> },
) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(url, { method, headers, agent }, resolve).on('error', reject);
  });
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(Buffer.from(part as Uint8Array));
  const body = Buffer.concat(parts)
    .toString('latin1')
    .replace(/"requestId":"[^"]+"/, '"requestId":""');
  const { statusCode, rawHeaders } = answer;
  const all: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    all.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  const left = Number(/r=(\d+)/.exec(String(answer.headers['ratelimit'] ?? ''))?.[1]);
  const stable = all.filter(([name]) => !['X-Request-Id', 'Date', 'RateLimit'].includes(name));
  const ofRequest = all.map(([name]) => name).filter((name) => name === 'X-Request-Id' || name === 'RateLimit');
  const sorted = stable.sort(([a], [b]) => (a < b ? -1 : 1));
  return { status: statusCode, headers: sorted, ofRequest: ofRequest.sort(), body, left };
}

async function repeats(): Promise<number> {
  const { values } = await counter('esd_cache_requests_total').get();
  return values
    .filter(({ labels }) => 'result' in labels && labels.result === 'hit')
    .reduce((sum, { value }) => sum + value, 0);
}

const filters = ['{"polymer":"PVA"}', '{"voltageMin":3}', '{"voltageMin": 3}', '{}', '{"volt":1}', '{'];
const requests = fc.record({
  path: fc.constantFrom(
    '/public/dataset',
    '/api/public/dataset',
    '/public/dataset/latest',
    '/public/dataset/v1.0.0',
    '/api/public/dataset/v1.0.0',
    '/public/dataset/10.1000/182',
    '/public/dataset/v9',
    '/health',
  ),
  query: fc.constantFrom(
    '',
    '?',
    '?limit=2',
    '?limit=20',
    '?limit=20&skip=290',
    '?skip=20&limit=20',
    '?limit=0',
    '?x=1',
  ),
  filter: fc.option(fc.constantFrom(...filters), { freq: 2 }),
  method: fc.constantFrom(...Array.from({ length: 8 }, () => 'GET'), 'HEAD', 'POST'),
  headers: fc.record(
    {
      'accept-encoding': fc.constantFrom('br', 'gzip, deflate, br', 'gzip;q=0.5', 'identity', '*;q=0'),
      authorization: fc.constant('Bearer nothing'),
      origin: fc.constant('https://any.example'),
      'cache-control': fc.constant('no-cache'),
    },
    { requiredKeys: [] },
  ),
  more: fc.constantFrom<Record<string, string>>(
    ...Array.from({ length: 12 }, () => ({})),
    { range: 'bytes=0-9' },
    { 'if-none-match': '*' },
    { 'if-none-match': '"x"' },
    { 'content-length': '0' },
  ),
});

test('the cache answers 200 generated requests like Express, except for id and date', async () => {
  const { gateway, dataset } = await startDataset();
  const before = await repeats();
  let left = LIMIT;
  for (const [index, one] of fc.sample(requests, { numRuns: 200, seed: 7 }).entries()) {
    if (index % 50 === 49) dataset.revision += 1;
    const { path, query, filter, method } = one;
    const headers = { ...one.headers, ...one.more };
    const joint = filter === null ? '' : `${query === '' ? '?' : '&'}filter=${encodeURIComponent(filter)}`;
    const url = `${gateway.url}${path}${query}${joint}`;
    if (index % 50 === 49) outdateState();
    const first = await ask(url, { method, headers });
    const open = await ask(url, { method, headers });
    // No page reads this header, but the cache passes every condition to Express.
    const closed = await ask(url, { method, headers: { ...headers, 'if-unmodified-since': 'x' } });
    expect([index, { ...open, left: 0 }]).toEqual([index, { ...closed, left: 0 }]);
    if (path !== '/health' && method !== 'POST') {
      // Both ways count a request once; a new minute begins with the full limit.
      for (const answer of [first, open, closed]) {
        left = answer.left === LIMIT - 1 ? LIMIT - 1 : left - 1;
        expect([index, answer.left]).toEqual([index, left]);
      }
    }
  }
  expect((await repeats()) - before).toBeGreaterThan(40);
});

test('the cache never returns a page of an outdated state', async () => {
  const { gateway, dataset } = await startDataset();
  const url = `${gateway.url}/public/dataset?limit=5`;
  for (let revision = 6; revision < 12; revision += 1) {
    await ask(url, {});
    dataset.revision = revision;
    outdateState();
    expect((await ask(url, {})).body).toContain(`at ${revision} `);
  }
  dataset.id = 'two';
  dataset.revision = 1;
  outdateState();
  expect((await ask(url, {})).body).toContain('at 1 ');
});

test('the gateway returns 503 while the newest state is unknown, but still serves pages of a release', async () => {
  const { gateway, dataset } = await startDataset();
  const latest = `${gateway.url}/public/dataset?limit=5`;
  const version = `${gateway.url}/public/dataset/v1.0.0?limit=5`;
  const known = [await ask(latest, {}), await ask(version, {})];
  dataset.isAway = true;
  outdateState();
  const refused = await ask(latest, {});
  expect([refused.status, JSON.parse(refused.body)]).toEqual([503, expect.objectContaining({ code: 'UNAVAILABLE' })]);
  expect(refused.headers.map(([name]) => name)).not.toContain('ETag');
  expect((await ask(version, {})).body).toBe(known[1]?.body);
});

test('a client beyond its limit is refused, also for cached pages', async () => {
  const { gateway } = await startDataset({ ESD_LIMIT_READS: '3' });
  const url = `${gateway.url}/public/dataset?limit=5`;
  const statuses = [];
  for (let count = 0; count < 5; count += 1) statuses.push((await ask(url, {})).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

test('a page that is not cached takes one call, and so does a cached page with an expired state', async () => {
  const { gateway, dataset } = await startDataset();
  const url = `${gateway.url}/public/dataset?limit=5`;
  await ask(url, {});
  expect([dataset.heads, dataset.queries]).toEqual([0, 1]);
  outdateState();
  await ask(url, {});
  expect([dataset.heads, dataset.queries]).toEqual([1, 1]);
});
