import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { type Credentials, login, newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { query } from './support/database.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { me, session } from './support/shapes.ts';
import { smallSubmission } from '@esd/testing/records';
import { newAddress } from './support/new-address.ts';

const token = z.looseObject({
  id: z.int(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
  lastUsedAt: z.string().optional(),
  status: z.string(),
});
const newToken = token.extend({ token: z.string().regex(/^esd_pat_[0-9A-Za-z]{46}$/) });
const ownSessions = z.array(z.looseObject({ current: z.boolean(), network: z.literal('127.0.0.0/24') }));

let stack: TestStack;
let api: Api;
/** The interface at each gateway: there are two in a run with the matrices. */
let gateways: Api[];
let admin: Credentials;
let bearer: string;
let other: Credentials;
beforeAll(async () => {
  stack = await leaseStack('replicated');
  api = apiAt(stack.url);
  gateways = Object.values(stack.addresses).flatMap(({ public: url }) => (url === undefined ? [] : [apiAt(url)]));
  ({ who: admin, token: bearer } = await newAdmin(stack, api));
  ({ who: other } = await addAccount(stack, admin, newAddress('other')));
});
afterAll(() => stack.stop());

const create = async (body: object = { name: 'notebook', expiresInDays: 30 }) => {
  const answer = await api.post('/auth/tokens', body, { bearer });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
  return newToken.parse(answer.json);
};
const list = async () => z.array(token).parse((await api.get('/auth/tokens', { bearer })).json);

/** The responses of every gateway to a bearer token. */
const everywhere = async (presented: string, code?: string): Promise<void> => {
  for (const gateway of gateways) {
    const answer = await gateway.get('/auth/me', { bearer: presented });
    if (code === undefined) expect(me.parse(answer.json).email).toBe(admin.email);
    else expectError(answer, 401, code);
  }
};

describe('a personal access token', () => {
  test('is created, used, listed, regenerated and revoked', async () => {
    const { token: secret, ...made } = await create({ name: ' My notebook ', expiresInDays: 90 });
    expect(made).toMatchObject({ name: 'My notebook', status: 'ACTIVE', prefix: secret.slice(0, 12) });
    expect(Date.parse(made.expiresAt ?? '') - Date.parse(made.createdAt)).toBe(90 * 86_400_000);
    expect(await list()).toEqual([made]);
    await everywhere(secret);

    const answer = await api.post(`/api/auth/tokens/${made.id}/regenerate`, '', { bearer });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const again = newToken.parse(answer.json);
    expect(again).toMatchObject({ id: made.id, name: made.name, expiresAt: made.expiresAt, createdAt: made.createdAt });
    await everywhere(secret, 'TOKEN_REVOKED');
    await everywhere(again.token);

    const revoked = await api.delete(`/auth/tokens/${made.id}`, { bearer });
    expect([revoked.status, revoked.json]).toEqual([200, { success: true, message: `Token ${made.id} is revoked.` }]);
    await everywhere(again.token, 'TOKEN_REVOKED');
    expect((await list()).find(({ id }) => id === made.id)?.status).toBe('REVOKED');
    expectError(await api.post(`/auth/tokens/${made.id}/regenerate`, '', { bearer }), 409, 'CONFLICT', /revoked/);
  });

  test('is rejected with the next request to every gateway after its revocation, even under load', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, token: secret } = await create();
      const busy = gateways.map((gateway) =>
        Promise.all(Array.from({ length: 5 }, () => gateway.get('/auth/me', { bearer: secret }))),
      );
      for (const answers of await Promise.all(busy)) for (const { status } of answers) expect(status).toBe(200);
      const [first = api, second = api] = round % 2 === 0 ? gateways : [...gateways].reverse();
      expect((await first.delete(`/auth/tokens/${id}`, { bearer })).status).toBe(200);
      expectError(await second.get('/auth/me', { bearer: secret }), 401, 'TOKEN_REVOKED');
      expectError(await first.get('/auth/me', { bearer: secret }), 401, 'TOKEN_REVOKED');
    }
  });

  test('accesses data like a session of its account', async () => {
    const { token: secret } = await create();
    const { experimentData } = z.object({ experimentData: z.array(z.unknown()) }).parse(smallSubmission());
    const answer = await api.post('/data/submit', { experimentData }, { bearer: secret });
    expect(answer.status).toBe(201);
    const { records } = z.object({ records: z.array(z.object({ recordId: z.int() })) }).parse(answer.json);
    const ids = await api.get('/data/my-records/ids', { bearer: secret });
    expect(ids.json).toEqual(records.map(({ recordId }) => recordId));
    expect((await api.get('/auth/profile', { bearer: secret })).status).toBe(200);
  });

  test('shows its last use, some seconds later', async () => {
    const { id, token: secret } = await create();
    const before = Date.now();
    await everywhere(secret);
    const lastUse = await eventually(
      async () => (await list()).find((one) => one.id === id)?.lastUsedAt,
      (at) => at !== undefined,
    );
    expect(Date.parse(lastUse ?? '')).toBeGreaterThanOrEqual(before);
  });
});

describe('tokens are managed', () => {
  test.each<[object, string]>([
    [{}, 'name'],
    [{ name: 'x', expiresInDays: 31 }, 'expiresInDays'],
    [{ name: 'x', scope: 'ADMIN' }, 'scope'],
  ])('with a valid body, not %j', async (body, path) => {
    const { errors } = expectError(await api.post('/auth/tokens', body, { bearer }), 400, 'VALIDATION_FAILED');
    expect(errors?.map((error) => error.path)).toEqual([path]);
  });
});

describe('a session', () => {
  test('ends by logout, with its refresh token, at every gateway immediately', async () => {
    const { token: first, refreshToken } = session.parse((await api.post('/auth/login', admin)).json);
    const answer = await api.post('/auth/logout', '', { bearer: first });
    expect([answer.status, answer.json]).toEqual([200, { success: true, message: 'The session has ended.' }]);
    await everywhere(first, 'TOKEN_REVOKED');
    expectError(await api.post('/auth/refresh', { refreshToken }), 401, 'TOKEN_REVOKED');
    await everywhere(bearer);
  });

  test('is listed with the others, and logout-all ends all of them', async () => {
    const [one, two] = [await login(api, other), await login(api, other)];
    const seen = ownSessions.parse((await api.get('/auth/sessions', { bearer: one })).json);
    expect(seen.slice(0, 2).map(({ current }) => current)).toEqual([false, true]);
    const { token: secret } = newToken.parse((await api.post('/auth/tokens', { name: 'stays' }, { bearer: one })).json);
    expect((await api.post('/auth/logout-all', '', { bearer: one })).status).toBe(200);
    for (const ended of [one, two]) {
      for (const gateway of gateways) {
        expectError(await gateway.get('/auth/me', { bearer: ended }), 401, 'TOKEN_REVOKED');
      }
    }
    expect((await api.get('/auth/me', { bearer: secret })).status).toBe(200);
    await everywhere(bearer);
  });

  test('is signed with a key that is public', async () => {
    for (const base of ['', '/api']) {
      const answer = await api.get(`${base}/.well-known/jwks.json`, { bearer: 'not-a-token' });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
      const { keys } = z.object({ keys: z.array(z.record(z.string(), z.string())) }).parse(answer.json);
      const [header = '', claims = '', signature = ''] = bearer.split('.');
      const { kid } = z.object({ kid: z.string() }).parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
      const key = keys.find((one) => one['kid'] === kid) ?? {};
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      const good = verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
      expect(good).toBe(true);
    }
  });
});

test('repeated wrong passwords are throttled at every gateway, and Retry-After states the wait', async () => {
  const guesses = async () => {
    const guess = { email: newAddress('guessed'), password: 'wrong horse battery' };
    const send = (to: Api) => to.post('/auth/login', guess);
    const taken: Answer[] = [];
    const refused: Answer[] = [];
    for (let number = 0; number < 4; number += 1) taken.push(await send(api));
    const fifthAt = Date.now();
    taken.push(await send(api));
    for (const gateway of gateways) refused.push(await send(gateway));
    const afterFifth = Date.now() - fifthAt;
    // As if the wait were over.
    await query(stack.databaseUrl('esd_identity'), `update login_guess set last_at = last_at - interval '1.1 s'`);
    const sixthAt = Date.now();
    taken.push(await send(api));
    refused.push(await send(api));
    return { taken, refused, isInTime: Math.max(afterFifth, Date.now() - sixthAt) < 1_000 };
  };
  // On a busy machine, a wait of a second is over before the next guess.
  let seen = await guesses();
  while (!seen.isInTime) seen = await guesses();
  for (const answer of seen.taken) expectError(answer, 401, 'BAD_CREDENTIALS');
  for (const answer of seen.refused) expectError(answer, 429, 'RATE_LIMITED', /wrong passwords/);
  expect(seen.refused.map(({ headers }) => headers.get('retry-after'))).toEqual([...gateways.map(() => '1'), '2']);
  await login(api, admin);
});
