import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { smallSubmission } from '@esd/testing/records';

let stack: TestStack;
let api: Api;
beforeAll(async () => {
  stack = await leaseStack('limited');
  api = apiAt(stack.url);
});
afterAll(() => stack.stop());

const of = (address: string) => ({ headers: { 'x-forwarded-for': address } });

const refresh = (address: string) => api.post('/auth/refresh', { refreshToken: 'of-nobody' }, of(address));

test.each<[string, number, number, (address: string) => Promise<Answer>]>([
  ['reads', 600, 200, (address) => api.get('/public/dataset?limit=1', of(address))],
  ['exports', 120, 200, (address) => api.get('/public/dataset/export?format=json', of(address))],
  ['submissions', 60, 201, (address) => api.post('/data/submit', smallSubmission(), of(address))],
  ['accounts', 20, 401, refresh],
])('%s are limited to %i a minute and address', async (name, limit, status, send) => {
  const address = `192.0.2.${limit % 255}`;
  for (let left = limit - 1; left >= 0; left--) {
    const { status: got, headers } = await send(address);
    expect([left, got]).toEqual([left, status]);
    expect(headers.get('ratelimit-policy')).toBe(`"${name}";q=${limit};w=60`);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"${name}";r=${left};t=([1-5]?\\d|60)$`));
  }
  const refused = await send(address);
  expectError(refused, 429, 'RATE_LIMITED', new RegExp(`${limit} requests of the class "${name}"`));
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(refused.headers.get('ratelimit')).toBe(`"${name}";r=0;t=${seconds}`);
  // The next address is none the worse for it, nor is health.
  expect((await send('198.51.100.1')).status).toBe(status);
  expect((await api.get('/ready', of(address))).status).toBe(200);
});

test('what the client itself says of its address is not believed', async () => {
  for (let index = 0; index < 20; index++) expect((await refresh(`10.0.0.${index}, 203.0.113.9`)).status).toBe(401);
  expectError(await refresh('10.9.9.9, 203.0.113.9'), 429, 'RATE_LIMITED');
});

test('who refuses to slow down waits no longer', async () => {
  const first = await api.get('/data/statuses', of('203.0.113.20'));
  expect(first.status).toBe(200);
  for (let index = 1; index < 600; index++) await api.get('/data/statuses', of('203.0.113.20'));
  const [one, other] = [
    await api.get('/data/statuses', of('203.0.113.20')),
    await api.get('/data/statuses', of('203.0.113.20')),
  ];
  expect([one.status, other.status]).toEqual([429, 429]);
  expect(Number(other.headers.get('retry-after'))).toBeLessThanOrEqual(Number(one.headers.get('retry-after')));
});
