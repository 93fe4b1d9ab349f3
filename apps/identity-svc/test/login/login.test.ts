import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import { z } from 'zod';
import { Role } from '@esd/proto/esd/identity/v1/identity';
import { deleteExpired } from '../../src/delete-expired.ts';
import {
  ADMIN,
  assertionsOf,
  call,
  codeOf,
  type IdentityUnderTest,
  loginAdmin,
  loginAgain,
  startIdentity,
} from '../identity-service.ts';

describe('login', () => {
  let identity: IdentityUnderTest;
  beforeAll(async () => {
    // Hashes are expensive, so that tests can act while one is computed.
    identity = await startIdentity({ environment: { ESD_PASSWORD_PASSES: '5' } });
    await identity.client.createFirstAdmin(ADMIN, call());
  });
  afterAll(() => identity.stop());

  const tryLogin = (email: string, password: string) =>
    codeOf(identity.client.login({ email, password, rememberMe: false }, call()));

  test('returns a session token, a refresh token and the account', async () => {
    const session = await loginAgain(identity.client);
    expect(session).toMatchObject({ email: ADMIN.email, role: Role.ROLE_ADMIN, expiresInMs: 30 * 60_000 });
    expect(session.refreshToken).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const decoded = jwt.decode(session.token, { complete: true });
    expect(decoded?.header).toEqual({ alg: 'ES256', typ: 'JWT', kid: identity.sessionKey.kid });
    const account = await identity.database.selectFrom('account').select('id').executeTakeFirstOrThrow();
    const uuid: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const time: unknown = expect.any(Number);
    const { iat, exp } = z.object({ iat: z.int(), exp: z.int() }).parse(decoded?.payload);
    expect((exp - iat) * 1_000).toBe(session.expiresInMs);
    expect(Math.abs(iat - Date.now() / 1_000)).toBeLessThan(120);
    expect(decoded?.payload).toEqual({
      iss: 'esd-identity',
      aud: 'esd-api',
      sub: account.id,
      sid: uuid,
      iat: time,
      exp: time,
    });
  });

  test('stores only hashes of secrets', async () => {
    const session = await loginAgain(identity.client);
    const stored = await identity.database.selectFrom('refresh_token').select('token_hash').execute();
    const hash = createHash('sha256').update(session.refreshToken).digest();
    expect(stored.filter(({ token_hash }) => token_hash.equals(hash))).toHaveLength(1);
    const { password_hash } = await identity.database
      .selectFrom('account')
      .select('password_hash')
      .executeTakeFirstOrThrow();
    expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$/);
  });

  test.each(['ada@example.org', ' ADA@EXAMPLE.ORG '])('accepts the address %s', async (email) => {
    await expect(tryLogin(email, ADMIN.password)).resolves.toBe('OK');
  });

  test('accepts a password in any Unicode composition', async () => {
    await expect(tryLogin(ADMIN.email, ADMIN.password.replace('correct', 'ｃｏｒｒｅｃｔ'))).resolves.toBe('OK');
  });

  test.each([
    ['a wrong password', ADMIN.email, 'correct horse battery.'],
    ['no password', ADMIN.email, ''],
    ['a huge password', ADMIN.email, 'x'.repeat(1_000_000)],
    ['an unknown address', 'bob@example.org', ADMIN.password],
    ['no address', '', ADMIN.password],
    ['a NUL in the address', 'ada\0@example.org', ADMIN.password],
    ['SQL in the address', "'or''='@example.org", ADMIN.password],
  ])('returns the same response to %s', async (_case, email, password) => {
    const refused = expect(identity.client.login({ email, password, rememberMe: false }, call())).rejects;
    await refused.toMatchObject({ code: 'BAD_CREDENTIALS', message: 'The email address or the password is wrong.' });
  });

  test('does the same work for an unknown account', async () => {
    const emails = [ADMIN.email, 'bob@example.org', 'not an address'];
    const work = emails.map(() => Infinity);
    // There are fewer consecutive wrong passwords than the throttle allows. The minimum excludes the effect of other
    // load.
    for (let run = 0; run < 4; run++) {
      for (const [index, email] of emails.entries()) {
        // CPU time is independent of the load of the machine, and the service runs in this process.
        const before = process.cpuUsage();
        await tryLogin(email, 'a wrong password');
        const { user, system } = process.cpuUsage(before);
        work[index] = Math.min(work[index] ?? Infinity, (user + system) / 1_000);
      }
    }
    const [existing = NaN, ...unknown] = work;
    expect(existing).toBeGreaterThan(5);
    for (const milliseconds of unknown) {
      expect(milliseconds).toBeGreaterThan(existing / 2);
      expect(milliseconds).toBeLessThan(existing * 2);
    }
  });

  test('reveals nothing about a disabled account', async () => {
    for (const email_verified of [false, true]) {
      await identity.database.updateTable('account').set({ enabled: false, email_verified }).execute();
      await expect(tryLogin(ADMIN.email, ADMIN.password)).resolves.toBe('BAD_CREDENTIALS');
    }
    await identity.database.updateTable('account').set({ enabled: true }).execute();
  });

  test('requires a verified email address, which only a caller with the correct password learns', async () => {
    await identity.database.updateTable('account').set({ email_verified: false }).execute();
    await expect(tryLogin(ADMIN.email, 'a wrong password')).resolves.toBe('BAD_CREDENTIALS');
    await expect(tryLogin(ADMIN.email, ADMIN.password)).resolves.toBe('EMAIL_NOT_VERIFIED');
    await identity.database.updateTable('account').set({ email_verified: true }).execute();
  });

  test('returns no session if the password changes during the login', async () => {
    const before = await identity.database
      .selectFrom('account')
      .select('password_hash as hash')
      .executeTakeFirstOrThrow();
    const logins = Array.from({ length: 40 }, () => tryLogin(ADMIN.email, ADMIN.password));
    await Promise.race(logins);
    await identity.database
      .updateTable('account')
      .set({ password_hash: before.hash.replace(/.$/, '') })
      .execute();
    const { rows } = await sql<{ changed: Date }>`select clock_timestamp() as changed`.execute(identity.database);
    const codes = await Promise.all(logins);
    await identity.database.updateTable('account').set({ password_hash: before.hash }).execute();
    expect(new Set(codes)).toEqual(new Set(['OK', 'BAD_CREDENTIALS']));
    const late = await identity.database
      .selectFrom('session')
      .select('id')
      .where('created_at', '>', rows[0]?.changed ?? new Date(0))
      .execute();
    expect(late).toHaveLength(0);
  });

  test('the periodic deletion removes sessions that expired long ago', async () => {
    const account = await identity.database.selectFrom('account').select('id').executeTakeFirstOrThrow();
    const old = randomUUID();
    const recent = randomUUID();
    const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
    await identity.database
      .insertInto('session')
      .values([
        { id: old, account_id: account.id, remember_me: false, expires_at: daysAgo(31) },
        { id: recent, account_id: account.id, remember_me: false, expires_at: daysAgo(29) },
      ])
      .execute();
    await deleteExpired(identity.database, 90);
    const rows = await identity.database.selectFrom('session').select('id').execute();
    const ids = rows.map(({ id }) => id);
    expect(ids).toContain(recent);
    expect(ids).not.toContain(old);
  });

  test('fails while the password queue is full, and works afterwards', async () => {
    const codes = await Promise.all(Array.from({ length: 80 }, () => tryLogin(ADMIN.email, ADMIN.password)));
    const counts = Object.groupBy(codes, (code) => code);
    expect(Object.keys(counts).sort()).toEqual(['OK', 'UNAVAILABLE']);
    expect(counts.OK?.length).toBeGreaterThanOrEqual(52);
    await expect(tryLogin(ADMIN.email, ADMIN.password)).resolves.toBe('OK');
  });
});

describe("the caller's account", () => {
  let identity: IdentityUnderTest;
  beforeAll(async () => {
    identity = await startIdentity();
  });
  afterAll(() => identity.stop());

  test('is the account of the assertion while it exists', async () => {
    const { client, database } = identity;
    const { token } = await loginAdmin(identity);
    const assertions = await assertionsOf(identity, token);
    const { account } = await client.getOwnAccount({}, call(assertions));
    expect(account).toMatchObject({ email: ADMIN.email, name: ADMIN.name, role: Role.ROLE_ADMIN, enabled: true });
    await expect(codeOf(client.getOwnAccount({}, call()))).resolves.toBe('AUTH_REQUIRED');
    await expect(codeOf(client.getOwnAccount({}, call(token)))).resolves.toBe('TOKEN_INVALID');
    await database.updateTable('account').set({ enabled: false }).execute();
    await expect(codeOf(client.getOwnAccount({}, call(assertions)))).resolves.toBe('TOKEN_REVOKED');
    await database.deleteFrom('account').execute();
    await expect(codeOf(client.getOwnAccount({}, call(assertions)))).resolves.toBe('TOKEN_REVOKED');
  });
});
