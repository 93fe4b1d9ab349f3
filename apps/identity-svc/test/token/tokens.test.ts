import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { TokenStatus } from '@esd/proto/esd/identity/v1/tokens';
import { assertionVerifier } from '@esd/service/auth/caller-assertion';
import { tokenSecretHash } from '../../src/token/token-secret.ts';
import {
  addAccount,
  ADMIN,
  type Assertions,
  assertionsOf,
  call,
  codeOf,
  type IdentityUnderTest,
  loginAdmin,
  startIdentity,
} from '../identity-service.ts';

const DAY = 86_400_000;
const TARGET = 'esd.identity.v1.TokenService';

let identity: IdentityUnderTest;
/** The assertions of a session of the only account. */
let session: Assertions;
beforeAll(async () => {
  identity = await startIdentity();
  const { token } = await loginAdmin(identity);
  session = await assertionsOf(identity, token);
});
beforeEach(async () => {
  await identity.database.updateTable('account').set({ enabled: true, role: 'ADMIN' }).execute();
  await identity.database.deleteFrom('personal_access_token').execute();
});
afterAll(() => identity.stop());

const create = async (expiresInDays?: number, name = 'notebook') => {
  const { token, secret } = await identity.tokens.createToken({ name, expiresInDays }, call(session));
  if (!token) throw new Error('the response has no token');
  return { ...token, secret };
};
const list = async () => (await identity.tokens.listTokens({}, call(session))).tokens;
const resolve = (bearer: string) => identity.client.resolveBearer({ bearer }, call());
const codeFor = (bearer: string) => codeOf(resolve(bearer));

describe('a new token', () => {
  test('acts for its account, without the role of the account', async () => {
    const { secret } = await create();
    const assertion = (await assertionsOf(identity, secret)).get(TARGET) ?? '';
    const { kty, crv, x, y, kid } = identity.assertionKey;
    const caller = assertionVerifier({ keys: [{ kty, crv, x, y, kid }] })(assertion, TARGET);
    const { id } = await identity.database.selectFrom('account').select('id').executeTakeFirstOrThrow();
    expect(caller).toEqual({ accountId: id, role: 'USER', credential: 'pat' });
  });

  test.each([30, 90, 365])('expires after %d days', async (days) => {
    const { createdAt, expiresAt } = await create(days);
    expect((expiresAt?.getTime() ?? NaN) - (createdAt?.getTime() ?? NaN)).toBe(days * DAY);
    const [listed] = await list();
    expect(listed?.expiresAt).toEqual(expiresAt);
  });

  test('does not expire by default', async () => {
    expect((await create()).expiresAt).toBeUndefined();
  });

  test('is stored only as a hash', async () => {
    const { secret } = await create();
    const hash = createHash('sha256').update(secret).digest();
    const rows = await identity.database.selectFrom('personal_access_token_secret').selectAll().execute();
    expect(rows.map((row) => row.hash)).toEqual([hash]);
    for (const table of ['personal_access_token', 'personal_access_token_secret', 'audit']) {
      const { rows: all } = await sql<{ text: string }>`select t::text as text from ${sql.table(table)} t`.execute(
        identity.database,
      );
      expect(all.length).toBeGreaterThan(0);
      expect(all.filter(({ text }) => text.includes(secret.slice(12)))).toEqual([]);
    }
  });

  test('is listed without its secret', async () => {
    const { secret, ...token } = await create(30, '  my notebook ');
    expect(token).toMatchObject({ name: 'my notebook', prefix: secret.slice(0, 12), lastUsedAt: undefined });
    expect(await list()).toEqual([token]);
  });

  test.each<[string, string, number | undefined]>([
    ['an empty name', ' ', undefined],
    ['a name of 101 characters', 'x'.repeat(101), undefined],
    ['a name with a line end', 'a\nb', undefined],
    ['31 days', 'a', 31],
    ['0 days', 'a', 0],
    ['-30 days', 'a', -30],
  ])('is rejected for %s', async (_, name, expiresInDays) => {
    await expect(codeOf(create(expiresInDays, name))).resolves.toBe('INVALID_REQUEST');
    expect(await list()).toEqual([]);
  });
});

test('an account has at most 100 active tokens, even with concurrent calls', async () => {
  const { accountId } = await identity.database
    .selectFrom('account')
    .select('id as accountId')
    .executeTakeFirstOrThrow();
  const full = Array.from({ length: 96 }, () => ({ account_id: accountId, name: 'x', expires_at: null }));
  await identity.database.insertInto('personal_access_token').values(full).execute();
  await identity.database
    .insertInto('personal_access_token')
    .values({ account_id: accountId, name: 'expired', expires_at: new Date(Date.now() - 1) })
    .execute();
  const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(create())));
  expect(codes.sort()).toEqual([...Array<string>(4).fill('CONFLICT'), ...Array<string>(4).fill('OK')]);
  const [one] = await list();
  await identity.tokens.revokeToken({ id: one?.id ?? 0 }, call(session));
  await expect(codeOf(create())).resolves.toBe('OK');
});

describe('a token', () => {
  test('that is revoked is rejected immediately and permanently', async () => {
    const { id, secret } = await create();
    await expect(codeFor(secret)).resolves.toBe('OK');
    await identity.tokens.revokeToken({ id }, call(session));
    await expect(codeFor(secret)).resolves.toBe('TOKEN_REVOKED');
    expect(await list()).toMatchObject([{ id, status: TokenStatus.TOKEN_STATUS_REVOKED }]);
    await expect(codeOf(identity.tokens.revokeToken({ id }, call(session)))).resolves.toBe('OK');
    await expect(codeOf(identity.tokens.regenerateToken({ id }, call(session)))).resolves.toBe('CONFLICT');
    await expect(codeFor(secret)).resolves.toBe('TOKEN_REVOKED');
  });

  test('that has expired is rejected and cannot be regenerated', async () => {
    const { id, secret } = await create(30);
    await identity.database.updateTable('personal_access_token').set({ expires_at: new Date() }).execute();
    await expect(codeFor(secret)).resolves.toBe('TOKEN_EXPIRED');
    expect(await list()).toMatchObject([{ id, status: TokenStatus.TOKEN_STATUS_EXPIRED }]);
    await expect(codeOf(identity.tokens.regenerateToken({ id }, call(session)))).resolves.toBe('CONFLICT');
    await identity.tokens.revokeToken({ id }, call(session));
    await expect(codeFor(secret)).resolves.toBe('TOKEN_REVOKED');
  });

  test('that is regenerated keeps its name and expiry, and its old secrets are revoked', async () => {
    const { secret: first, ...token } = await create(90);
    const { secret: second, token: again } = await identity.tokens.regenerateToken({ id: token.id }, call(session));
    const { secret: third } = await identity.tokens.regenerateToken({ id: token.id }, call(session));
    expect(again).toEqual({ ...token, prefix: second.slice(0, 12) });
    for (const old of [first, second]) await expect(codeFor(old)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeFor(third)).resolves.toBe('OK');
    expect(await list()).toHaveLength(1);
    await identity.tokens.revokeToken({ id: token.id }, call(session));
    await expect(codeFor(third)).resolves.toBe('TOKEN_REVOKED');
  });

  test('that concurrent calls regenerate has one valid secret', async () => {
    const { id } = await create();
    const made = await Promise.all(
      Array.from({ length: 6 }, () => identity.tokens.regenerateToken({ id }, call(session))),
    );
    const codes = await Promise.all(made.map(({ secret }) => codeFor(secret)));
    expect(codes.sort()).toEqual(['OK', ...Array<string>(5).fill('TOKEN_REVOKED')]);
  });

  test('of a disabled account is suspended, and of a deleted account is unknown', async () => {
    const { secret } = await create();
    await identity.database.updateTable('account').set({ enabled: false }).execute();
    await expect(codeFor(secret)).resolves.toBe('TOKEN_REVOKED');
    await identity.database.updateTable('account').set({ enabled: true }).execute();
    await expect(codeFor(secret)).resolves.toBe('OK');
    await identity.database.deleteFrom('account').execute();
    await expect(codeFor(secret)).resolves.toBe('TOKEN_INVALID');
    session = await assertionsOf(identity, (await loginAdmin(identity)).token);
  });

  test('stores the time of its last use', async () => {
    const used = await create();
    const unused = await create();
    const before = Date.now();
    for (let times = 0; times < 3; times += 1) await resolve(used.secret);
    let tokens = await list();
    while (!tokens.some(({ lastUsedAt }) => lastUsedAt)) {
      await new Promise((wake) => setTimeout(wake, 50));
      tokens = await list();
    }
    const lastUse = tokens.find(({ id }) => id === used.id)?.lastUsedAt?.getTime() ?? NaN;
    expect(lastUse).toBeGreaterThanOrEqual(before);
    expect(lastUse).toBeLessThanOrEqual(Date.now());
    expect(tokens.find(({ id }) => id === unused.id)?.lastUsedAt).toBeUndefined();
  });
});

describe('the last use', () => {
  test('is written before the process ends', async () => {
    const { databaseUrl } = identity;
    const { sessionKey } = identity;
    const replica = await startIdentity({ sessionKeys: [sessionKey], databaseUrl });
    const { id, secret } = await create();
    await replica.client.resolveBearer({ bearer: secret }, call());
    await replica.stop();
    expect((await list()).find((one) => one.id === id)?.lastUsedAt).toBeInstanceOf(Date);
  });
});

describe('a text that cannot be a token', () => {
  test.each<[string, (secret: string) => string]>([
    ['cut', (secret) => secret.slice(0, -1)],
    ['longer', (secret) => `${secret}0`],
    [
      'with another character',
      (secret) => `${secret.slice(0, 20)}${secret[20] === 'a' ? 'b' : 'a'}${secret.slice(21)}`,
    ],
    ['with another last character', (secret) => `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`],
    ['in lower case', (secret) => secret.toLowerCase()],
    ['with a special character', (secret) => `${secret.slice(0, -1)}-`],
    ['the prefix alone', () => 'esd_pat_'],
  ])('is rejected without a query: %s', async (_, change) => {
    const { secret } = await create();
    expect(tokenSecretHash(secret)).toBeInstanceOf(Buffer);
    expect(tokenSecretHash(change(secret))).toBeUndefined();
    await expect(codeFor(change(secret))).resolves.toBe('TOKEN_INVALID');
  });

  test('is unknown if it has a valid checksum but was never issued', async () => {
    const { secret } = await create();
    await identity.database.deleteFrom('personal_access_token').execute();
    expect(tokenSecretHash(secret)).toBeInstanceOf(Buffer);
    await expect(codeFor(secret)).resolves.toBe('TOKEN_INVALID');
  });
});

describe('tokens are managed', () => {
  const calls: [string, (assertions: Assertions | undefined, id: number) => Promise<unknown>][] = [
    ['list', (assertions) => identity.tokens.listTokens({}, call(assertions))],
    ['create', (assertions) => identity.tokens.createToken({ name: 'x', expiresInDays: 30 }, call(assertions))],
    ['revoke', (assertions, id) => identity.tokens.revokeToken({ id }, call(assertions))],
    ['regenerate', (assertions, id) => identity.tokens.regenerateToken({ id }, call(assertions))],
  ];

  test.each(calls)('only by a session: %s', async (_, manage) => {
    const { id, secret } = await create();
    const assertions = await assertionsOf(identity, secret);
    await expect(codeOf(manage(assertions, id))).resolves.toBe('SESSION_REQUIRED');
    await expect(codeOf(manage(undefined, id))).resolves.toBe('AUTH_REQUIRED');
    await expect(codeFor(secret)).resolves.toBe('OK');
    expect(await list()).toHaveLength(1);
    await expect(codeOf(manage(session, id))).resolves.toBe('OK');
  });

  test('only by their owner', async () => {
    const { id, secret } = await create();
    const { id: other, token } = await addAccount(identity, 'eve@example.org');
    const eve = await assertionsOf(identity, token);
    await expect(codeOf(identity.tokens.revokeToken({ id }, call(eve)))).resolves.toBe('TOKEN_NOT_FOUND');
    await expect(codeOf(identity.tokens.regenerateToken({ id }, call(eve)))).resolves.toBe('TOKEN_NOT_FOUND');
    await expect(codeOf(identity.tokens.revokeToken({ id: id + 1000 }, call(eve)))).resolves.toBe('TOKEN_NOT_FOUND');
    expect((await identity.tokens.listTokens({}, call(eve))).tokens).toEqual([]);
    await expect(codeFor(secret)).resolves.toBe('OK');
    await identity.database.deleteFrom('account').where('id', '=', other).execute();
  });

  test('with every change in the audit trail', async () => {
    const { id } = await create(30, 'secret name');
    await identity.tokens.regenerateToken({ id }, call(session));
    await identity.tokens.revokeToken({ id }, call(session));
    await identity.tokens.revokeToken({ id }, call(session));
    const entries = await identity.database
      .selectFrom('audit')
      .select(['action', 'actor', 'subject', 'details'])
      .where(sql`details->>'token'`, '=', String(id))
      .orderBy('id')
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(['token-created', 'token-regenerated', 'token-revoked']);
    const account = await identity.database
      .selectFrom('account')
      .select('id')
      .where('email', '=', ADMIN.email)
      .executeTakeFirstOrThrow();
    for (const { actor, subject } of entries) expect([actor, subject]).toEqual([account.id, account.id]);
    expect(JSON.stringify(entries)).not.toContain('secret name');
  });
});
