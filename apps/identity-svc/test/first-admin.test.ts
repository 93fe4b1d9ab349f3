import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Role } from '@esd/proto/esd/identity/v1/identity';
import { ADMIN, call, codeOf, type IdentityUnderTest, startIdentity } from './identity-service.ts';

/** Counts the sessions of this database that wait for a lock. */
async function waitingForLocks(database: IdentityUnderTest['database']): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where not granted and datname = current_database()
  `.execute(database);
  return rows[0]?.waiting ?? 0;
}

describe('the first admin', () => {
  let identity: IdentityUnderTest;
  beforeAll(async () => {
    identity = await startIdentity();
  });
  afterEach(async () => {
    await identity.database.deleteFrom('account').execute();
  });
  afterAll(() => identity.stop());

  test('is an enabled ADMIN with a verified email address', async () => {
    const before = Date.now();
    const { account } = await identity.client.createFirstAdmin({ ...ADMIN, email: ` ${ADMIN.email} ` }, call());
    expect(account).toMatchObject({
      email: ADMIN.email,
      name: ADMIN.name,
      role: Role.ROLE_ADMIN,
      enabled: true,
      emailVerified: true,
    });
    expect(account?.orcid).toBeUndefined();
    expect(account?.createdAt?.getTime()).toBeGreaterThan(before - 5_000);
  });

  test('is created by exactly one of twenty concurrent calls', async () => {
    const calls: Promise<string>[] = [];
    await identity.database.transaction().execute(async (transaction) => {
      // Blocks inserts until several calls wait, so that the calls compete.
      await sql`lock table account in exclusive mode`.execute(transaction);
      for (let index = 0; index < 20; index++) {
        const email = `admin${index}@example.org`;
        calls.push(codeOf(identity.client.createFirstAdmin({ ...ADMIN, email }, call())));
      }
      while ((await waitingForLocks(transaction)) < 5) await sleep(20);
    });
    const codes = await Promise.all(calls);
    expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
    expect(codes.filter((code) => code === 'ADMIN_EXISTS')).toHaveLength(19);
    const { count } = await identity.database
      .selectFrom('account')
      .select((the) => the.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
  });

  test('is rejected once an ADMIN exists, even with other errors', async () => {
    await identity.client.createFirstAdmin(ADMIN, call());
    await expect(codeOf(identity.client.createFirstAdmin(ADMIN, call()))).resolves.toBe('ADMIN_EXISTS');
    await expect(codeOf(identity.client.createFirstAdmin({ ...ADMIN, email: '' }, call()))).resolves.toBe(
      'ADMIN_EXISTS',
    );
  });

  test('cannot use the email address of another account', async () => {
    await identity.database
      .insertInto('account')
      .values({
        id: randomUUID(),
        email: 'ADÉ@example.org',
        email_normalized: 'adé@example.org',
        password_hash: 'none',
        role: 'USER',
        email_verified: true,
        name: 'Ada',
        orcid: null,
      })
      .execute();
    for (const email of ['adé@example.org', 'Adé@EXAMPLE.org', 'ade\u0301@example.org']) {
      await expect(codeOf(identity.client.createFirstAdmin({ ...ADMIN, email }, call()))).resolves.toBe('CONFLICT');
    }
  });

  const composed = 'é'.repeat(10);
  const wrong: [string, Partial<typeof ADMIN>, RegExp][] = [
    ['an email without @', { email: 'ada.example.org' }, /"ada\.example\.org" is not an email/],
    ['an email without domain', { email: 'ada@' }, /not an email/],
    ['two addresses', { email: 'ada@example.org,bob@example.org' }, /not an email/],
    ['two names before the @', { email: 'ada,bob@example.org' }, /not an email/],
    ['a line break for a mail header', { email: 'ada@example.org\r\nBcc: bob@example.org' }, /not an email/],
    ['a NUL', { email: 'ada\0@example.org' }, /not an email/],
    ['a display name', { email: 'Ada<ada@example.org>' }, /not an email/],
    ['an email address of 321 characters', { email: `${'a'.repeat(309)}@example.org` }, /at most 320/],
    ['a short password', { password: 'ninechars' }, /10 to 128/],
    ['a long password', { password: 'x'.repeat(129) }, /10 to 128/],
    ['a huge password', { password: 'x'.repeat(1_000_000) }, /10 to 128/],
    ['a password that is short once composed', { password: composed.slice(0, 9).normalize('NFD') }, /10 to 128/],
    ['an empty name', { name: '  ' }, /must not be empty/],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, /at most 200/],
    ['a bidirectional override in the email', { email: 'ada\u202E@example.org' }, /not an email/],
    ['a bidirectional override in the name', { name: 'Ada\u202E' }, /control characters/],
    ['a control character in the name', { name: 'Ada\u001b[2J' }, /control characters/],
  ];
  test.each(wrong)('is rejected with %s', async (_case, part, message) => {
    const request = { ...ADMIN, ...part };
    const rejected = expect(identity.client.createFirstAdmin(request, call())).rejects;
    await rejected.toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) });
  });

  test('gets every problem in one response, which does not contain the password', async () => {
    const request = { email: 'ada', password: 'secret', name: '' };
    const message = await identity.client.createFirstAdmin(request, call()).then(
      () => 'OK',
      (error: unknown) => String(error),
    );
    expect(message).toMatch(/not an email.*10 to 128.*must not be empty/);
    expect(message).not.toContain('secret');
  });

  test.each([
    [
      'an email address of 320 characters',
      { email: `${'l'.repeat(64)}@${'d'.repeat(62)}.${'d'.repeat(62)}.${'d'.repeat(62)}.${'d'.repeat(62)}.org` },
    ],
    ['letters of every script', { email: 'jörg+tag@bücher.example' }],
    ['an apostrophe', { email: "o'neil@localhost" }],
    ['a password of 10 characters', { password: composed.normalize('NFD') }],
    ['a password of 128 characters', { password: '🧵'.repeat(128) }],
  ])('accepts %s', async (_case, part) => {
    await expect(codeOf(identity.client.createFirstAdmin({ ...ADMIN, ...part }, call()))).resolves.toBe('OK');
  });
});

describe('with a bootstrap token', () => {
  const bootstrapToken = 'a bootstrap token of some length';
  let identity: IdentityUnderTest;
  beforeAll(async () => {
    identity = await startIdentity({ environment: { ESD_BOOTSTRAP_TOKEN: bootstrapToken } });
  });
  afterAll(() => identity.stop());

  test('the first admin requires it', async () => {
    const { client } = identity;
    await expect(codeOf(client.createFirstAdmin(ADMIN, call()))).resolves.toBe('FORBIDDEN');
    for (const wrong of ['', 'a bootstrap token of some lengtH', `${bootstrapToken} `]) {
      await expect(codeOf(client.createFirstAdmin({ ...ADMIN, bootstrapToken: wrong }, call()))).resolves.toBe(
        'FORBIDDEN',
      );
    }
    await expect(codeOf(client.createFirstAdmin({ ...ADMIN, bootstrapToken }, call()))).resolves.toBe('OK');
    await expect(codeOf(client.createFirstAdmin(ADMIN, call()))).resolves.toBe('ADMIN_EXISTS');
  });
});
