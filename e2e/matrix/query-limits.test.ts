import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { z } from 'zod';
import { newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { expectError } from '../support/errors.ts';

const stack = await leaseStack('limited');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let admin: string;
beforeAll(async () => {
  ({ token: admin } = await newAdmin(stack, api));
});

test('a client without an account creates at most 20 new queries a day; repeated queries do not count', async () => {
  const from = { headers: { 'x-forwarded-for': '203.0.113.50' } };
  const same = await Promise.all(
    Array.from({ length: 10 }, () => api.post('/public/queries', { filter: { voltageMin: 400 } }, from)),
  );
  expect(same.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 9 }, () => 200), 201]);
  expect(new Set(same.map(({ json }) => z.looseObject({ id: z.string() }).parse(json).id)).size).toBe(1);
  for (let at = 1; at < 20; at += 1) {
    expect((await api.post('/public/queries', { filter: { voltageMin: 400 + at } }, from)).status).toBe(201);
  }
  const refused = await api.post('/public/queries', { filter: { voltageMin: 500 } }, from);
  expectError(refused, 429, 'RATE_LIMITED', /20 new queries a day/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit-policy')).toMatch(/^"submissions";/);
  expect((await api.post('/public/queries', { filter: { voltageMin: 400 } }, from)).status).toBe(200);
  const signedIn = await api.post('/public/queries', { filter: { voltageMin: 500 } }, { ...from, bearer: admin });
  expect(signedIn.status).toBe(201);
});
