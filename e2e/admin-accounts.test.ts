import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { addAccount } from './support/accounts.ts';
import { createAdmin, type Credentials, login } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';

const account = z.looseObject({ id: z.uuid(), email: z.string() });
const entry = z.looseObject({ id: z.int() });
const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: z.array(item), total: z.int(), skip: z.int(), limit: z.int() });

const stack = await leaseStack('fresh');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let admin: { id: string; who: Credentials };
let bearer: string;
let user: { id: string; who: Credentials };
let moderator: { id: string; who: Credentials };
beforeAll(async () => {
  const { who, token } = await createAdmin(api);
  bearer = token;
  user = await addAccount(stack, who, 'user@example.org');
  moderator = await addAccount(stack, who, 'moderator@example.com', 'MODERATOR');
  const { data } = await accounts('');
  admin = { who, id: data[0]?.id ?? '' };
});

const accounts = async (query: string) => {
  const answer = await api.get(`/admin/accounts${query}`, { bearer });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return { ...pageOf(account).parse(answer.json), link: answer.headers.get('link') };
};
const audit = async (query: string) => pageOf(entry).parse((await api.get(`/admin/audit${query}`, { bearer })).json);
const setRole = (id: string, role: string, by = bearer) =>
  api.put(`/admin/accounts/${id}/role`, { role }, { bearer: by });
const setEnabled = (id: string, enabled: boolean, by = bearer) =>
  api.put(`/api/admin/accounts/${id}/enabled`, { enabled }, { bearer: by });

describe('GET /admin/accounts', () => {
  test('has all accounts in pages', async () => {
    const all = await accounts('');
    expect(all).toMatchObject({ total: 3, skip: 0, limit: 100 });
    expect(all.data.map(({ email }) => email)).toEqual([admin.who.email, user.who.email, moderator.who.email]);
    const second = await accounts('?skip=1&limit=1');
    expect(second).toMatchObject({ data: [{ id: user.id }], total: 3, skip: 1, limit: 1 });
    expect(second.link).toContain('/admin/accounts?skip=2&limit=1>; rel="next"');
  });

  test('filters by part of address or name, by role and by state', async () => {
    const found = async (query: string) => (await accounts(query)).data.map(({ email }) => email);
    expect(await found('?search=EXAMPLE.COM')).toEqual([moderator.who.email]);
    expect(await found('?role=MODERATOR')).toEqual([moderator.who.email]);
    expect(await found('?enabled=false')).toEqual([]);
    expect((await accounts('?search=example&role=USER&limit=5')).link).toContain('search=example&role=USER');
  });

  test.each(['?role=OWNER', '?enabled=1', '?limit=1001', '?search='])('refuses %s', async (query) => {
    expectError(await api.get(`/admin/accounts${query}`, { bearer }), 400, 'INVALID_PARAMETER');
  });
});

describe('PUT /admin/accounts/{id}/role', () => {
  test('takes effect with the next request', async () => {
    const by = await login(api, user.who);
    const answer = await setRole(user.id, 'ADMIN');
    expect(answer.status).toBe(200);
    expect(account.parse(answer.json)).toMatchObject({ id: user.id, role: 'ADMIN' });
    expect((await api.get('/admin/accounts', { bearer: by })).status).toBe(200);
    await setRole(user.id, 'USER');
    expectError(await api.get('/admin/accounts', { bearer: by }), 403, 'FORBIDDEN');
  });

  test('rejects unknown accounts and roles', async () => {
    expectError(await setRole('7', 'USER'), 400, 'INVALID_PARAMETER', /UUID/);
    expectError(await setRole(crypto.randomUUID(), 'USER'), 404, 'ACCOUNT_NOT_FOUND');
    expectError(await setRole(user.id, 'OWNER'), 400, 'VALIDATION_FAILED');
  });
});

test('PUT /admin/accounts/{id}/enabled ends all sessions and tokens immediately', async () => {
  const by = await login(api, moderator.who);
  const answer = await setEnabled(moderator.id, false);
  expect(account.parse(answer.json)).toMatchObject({ id: moderator.id, enabled: false });
  expectError(await api.get('/auth/me', { bearer: by }), 401, 'TOKEN_REVOKED');
  const { email, password } = moderator.who;
  expectError(await api.post('/auth/login', { email, password }), 401, 'BAD_CREDENTIALS');
  expect((await accounts('?enabled=false')).data.map(({ id }) => id)).toEqual([moderator.id]);
  await setEnabled(moderator.id, true);
  expectError(await api.get('/auth/me', { bearer: by }), 401, 'TOKEN_REVOKED');
  await login(api, { email, password });
});

describe('GET /admin/audit', () => {
  test('lists actor, action, time and address', async () => {
    const before = new Date(Date.now() - 1).toISOString();
    const answer = await setRole(user.id, 'MODERATOR');
    await setRole(user.id, 'USER');
    const { data, total } = await audit(`?subject=${user.id}&action=role-changed&from=${before}`);
    expect(total).toBe(2);
    expect(data[1]).toMatchObject({
      action: 'role-changed',
      actor: admin.id,
      subject: user.id,
      requestId: answer.headers.get('x-request-id'),
      clientIp: '127.0.0.1',
      details: { from: 'USER', to: 'MODERATOR' },
    });
    expect((await audit(`?subject=${user.id}&to=${before}&action=role-changed&limit=1`)).data).toHaveLength(1);
    expect((await audit(`?actor=${user.id}&action=token-created`)).total).toBe(0);
    expect(JSON.stringify(await audit(''))).not.toMatch(/@|horse/);
  });

  test.each(['?from=yesterday', '?actor=7', '?action=DROP', '?to=2026-13-01T00:00:00Z'])(
    'refuses %s',
    async (query) => {
      expectError(await api.get(`/admin/audit${query}`, { bearer }), 400, 'INVALID_PARAMETER');
    },
  );
});
