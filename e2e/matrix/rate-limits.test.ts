import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { type Answer, type Api, apiAt } from '../support/api.ts';
import { expectError } from '../support/errors.ts';
import { smallSubmission } from '@esd/testing/records';

let stack: TestStack;
let api: Api;
beforeAll(async () => {
  stack = await leaseStack('limited');
  api = apiAt(stack.url);
});
afterAll(() => stack.stop());

const of = (address: string) => ({ headers: { 'x-forwarded-for': address } });

const WINDOW_MS = 60_000;
let addresses = 0;

/** Sends the allowed number of requests from a new address, and one more, within one window. */
async function exhaust(limit: number, send: (address: string) => Promise<Answer>) {
  for (;;) {
    const address = `198.18.0.${++addresses}`;
    const started = Date.now();
    const answers: Answer[] = [];
    while (answers.length < limit) answers.push(...(await Promise.all([1, 2, 3, 4].map(() => send(address)))));
    const refused = await send(address);
    // On a busy machine the window may end during the requests.
    if (Date.now() - started < WINDOW_MS / 2) return { address, answers, refused };
  }
}

const refresh = (address: string) => api.post('/auth/refresh', { refreshToken: 'of-nobody' }, of(address));

test.each<[string, number, number, (address: string) => Promise<Answer>]>([
  ['reads', 600, 200, (address) => api.get('/public/dataset?limit=1', of(address))],
  ['exports', 120, 200, (address) => api.get('/public/dataset/export?format=json', of(address))],
  ['submissions', 60, 201, (address) => api.post('/data/submit', smallSubmission(), of(address))],
  ['accounts', 20, 401, refresh],
])('%s are limited to %i per minute and address', async (name, limit, status, send) => {
  const { address, answers, refused } = await exhaust(limit, send);
  const left = answers.map(({ headers }) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]));
  expect(left.sort((one, other) => one - other)).toEqual(Array.from({ length: limit }, (_, index) => index));
  for (const { status: got, headers } of answers) {
    expect(got).toBe(status);
    expect(headers.get('ratelimit-policy')).toBe(`"${name}";q=${limit};w=60`);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"${name}";r=\\d+;t=([1-5]?\\d|60)$`));
  }
  expectError(refused, 429, 'RATE_LIMITED', new RegExp(`${limit} requests of the class "${name}"`));
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(refused.headers.get('ratelimit')).toBe(`"${name}";r=0;t=${seconds}`);
  // The next address is unaffected, and so is /health.
  expect((await send('198.51.100.1')).status).toBe(status);
  expect((await api.get('/ready', of(address))).status).toBe(200);
});

test('a forwarded address from the client is ignored', async () => {
  for (let index = 0; index < 20; index++) expect((await refresh(`10.0.0.${index}, 203.0.113.9`)).status).toBe(401);
  expectError(await refresh('10.9.9.9, 203.0.113.9'), 429, 'RATE_LIMITED');
});

test('a client that ignores the limit does not wait longer', async () => {
  const ask = (address: string) => api.get('/data/statuses', of(address));
  const { address, answers, refused: one } = await exhaust(600, ask);
  expect(answers[0]?.status).toBe(200);
  const other = await ask(address);
  expect([one.status, other.status]).toEqual([429, 429]);
  expect(Number(other.headers.get('retry-after'))).toBeLessThanOrEqual(Number(one.headers.get('retry-after')));
});
