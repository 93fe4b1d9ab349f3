import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { deleteLapsedCounts, loginThrottle, waitSeconds } from '../../src/login-throttle/login-throttle.ts';
import { addAccount, ADMIN, call, codeOf, loginAdmin, startIdentity } from '../identity-service.ts';

const [HOME, CAFE] = ['192.0.2.1', '198.51.100.7'];

const identity = await startIdentity();
const { sessionKey, databaseUrl } = identity;
const replica = await startIdentity({ sessionKeys: [sessionKey], databaseUrl });
await loginAdmin(identity);
beforeEach(async () => {
  await identity.database.deleteFrom('login_guess').execute();
  await identity.database.deleteFrom('known_login_network').execute();
});
afterAll(async () => {
  await replica.stop();
  await identity.stop();
});

const tryLogin = (password: string, clientIp: string, email = ADMIN.email, at = identity) =>
  at.client.login({ email, password, rememberMe: false }, { ...call(), clientIp });
const login = (clientIp: string, email = ADMIN.email) => codeOf(tryLogin(ADMIN.password, clientIp, email));
const wrong = (clientIp: string, email = ADMIN.email) => codeOf(tryLogin('wrong horse battery', clientIp, email));
const hashes = async (work: () => Promise<unknown>): Promise<number> => {
  const count = async () =>
    (
      await identity.database
        .selectFrom('audit')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('action', '=', 'login-failed')
        .executeTakeFirstOrThrow()
    ).count;
  const before = await count();
  await work();
  return (await count()) - before;
};
/** Simulates `seconds` without a guess. */
const pass = (seconds: number) =>
  identity.database
    .updateTable('login_guess')
    .set({ last_at: sql`last_at - make_interval(secs => ${seconds})` })
    .execute();

/** Moves the last guesses one minute into the future, so that no wait ends during a slow test. */
const prolong = () => pass(-60);

describe('wrong passwords', () => {
  test('are free five times; then the next attempt is rejected without hashing, even with the correct password', async () => {
    for (let number = 0; number < 5; number += 1) expect(await wrong(CAFE)).toBe('BAD_CREDENTIALS');
    await prolong();
    const looked = await hashes(async () => {
      expect(await wrong(CAFE)).toBe('RATE_LIMITED');
      expect(await login(CAFE)).toBe('RATE_LIMITED');
    });
    expect(looked).toBe(0);
  });

  test('double the delay in Retry-After, up to five minutes', async () => {
    let guessedAt = 0;
    const guess = () => {
      guessedAt = performance.now();
      return wrong(CAFE);
    };
    for (let number = 0; number < 5; number += 1) await guess();
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
      await prolong();
      const refusal: unknown = await tryLogin('wrong horse', CAFE).catch((error: unknown) => error);
      if (!(refusal instanceof ServiceError)) throw new Error('The attempt was not rejected.');
      expect(refusal.code).toBe('RATE_LIMITED');
      const passed = (performance.now() - guessedAt) / 1_000;
      expect(refusal.retryAfterSeconds).toBeGreaterThanOrEqual(seconds + 60 - passed);
      expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(seconds + 60);
      await pass(seconds + 60);
      // The counters of the email address and of the client exceed their free attempts later.
      expect(await guess()).toBe('BAD_CREDENTIALS');
    }
  });

  test('are forgotten after a correct password', async () => {
    for (let number = 0; number < 4; number += 1) await wrong(CAFE);
    expect(await login(CAFE)).toBe('OK');
    for (let number = 0; number < 4; number += 1) expect(await wrong(CAFE)).toBe('BAD_CREDENTIALS');
    expect(await login(CAFE)).toBe('OK');
  });

  test('are forgotten after an hour', async () => {
    for (let number = 0; number < 12; number += 1) {
      await wrong(CAFE);
      await pass(300);
    }
    await pass(3_601);
    for (let number = 0; number < 2; number += 1) expect(await wrong(CAFE)).toBe('BAD_CREDENTIALS');
    expect(await login(CAFE)).toBe('OK');
    await wrong(CAFE);
    await pass(3_601);
    await deleteLapsedCounts(identity.database);
    expect(await identity.database.selectFrom('login_guess').selectAll().execute()).toEqual([]);
  });

  test('are counted across replicas', async () => {
    for (let number = 0; number < 5; number += 1) await wrong(CAFE);
    await prolong();
    await expect(codeOf(tryLogin(ADMIN.password, CAFE, ADMIN.email, replica))).resolves.toBe('RATE_LIMITED');
  });

  test('are counted for an unknown address too', async () => {
    for (let number = 0; number < 5; number += 1)
      expect(await wrong(CAFE, 'unknown@example.org')).toBe('BAD_CREDENTIALS');
    await prolong();
    expect(await wrong(CAFE, 'Unknown@Example.org')).toBe('RATE_LIMITED');
    expect(await wrong(CAFE, 'no address')).toBe('BAD_CREDENTIALS');
  });
});

describe('the owner', () => {
  test('is not delayed by guesses from another client address', async () => {
    for (let number = 0; number < 6; number += 1) await wrong(CAFE);
    await prolong();
    expect(await wrong(CAFE)).toBe('RATE_LIMITED');
    expect(await login(HOME)).toBe('OK');
  });

  test('waits at most a minute after guesses from many client addresses, and not at all at a known one', async () => {
    const email = 'owner@example.org';
    const { id } = await addAccount(identity, email);
    expect(await login(HOME, email)).toBe('OK');
    for (let number = 0; number < 30; number += 1) {
      await pass(60);
      expect(await wrong(`203.0.113.${number}`, email)).toBe('BAD_CREDENTIALS');
    }
    await prolong();
    expect(await login(CAFE, email)).toBe('RATE_LIMITED');
    await pass(120);
    expect(await login(CAFE, email)).toBe('OK');
    for (let number = 0; number < 21; number += 1) {
      await pass(60);
      await wrong(`203.0.113.${number}`, email);
    }
    expect(await wrong('203.0.113.99', email)).toBe('RATE_LIMITED');
    expect(await login(HOME, email)).toBe('OK');
    // A password reset makes its client address known too.
    await identity.database
      .transaction()
      .execute((transaction) =>
        loginThrottle(identity.database).recordSuccess(transaction, { accountId: id, email }, '203.0.113.200'),
      );
    for (let number = 0; number < 21; number += 1) {
      await pass(60);
      await wrong(`203.0.113.${number}`, email);
    }
    expect(await login('203.0.113.200', email)).toBe('OK');
  });
});

describe('a client that tries many email addresses', () => {
  test('is delayed for all of them, except for an account that has logged in from its client address', async () => {
    const email = 'neighbor@example.org';
    await addAccount(identity, email);
    expect(await login(CAFE, email)).toBe('OK');
    for (let number = 0; number < 50; number += 1)
      expect(await wrong(CAFE, `u${number}@example.org`)).toBe('BAD_CREDENTIALS');
    await prolong();
    expect(await wrong(CAFE, 'one-more@example.org')).toBe('RATE_LIMITED');
    expect(await login(CAFE)).toBe('RATE_LIMITED');
    expect(await login(CAFE, email)).toBe('OK');
    expect(await login(HOME)).toBe('OK');
    // Its own login does not reset the counter.
    expect(await wrong(CAFE, 'one-more@example.org')).toBe('RATE_LIMITED');
  });

  test('is identified by the /64 of its IPv6 address', async () => {
    for (let number = 1; number <= 5; number += 1) await wrong(`2001:db8:1:2::${number}`);
    await prolong();
    expect(await wrong('2001:db8:1:2:ffff::1')).toBe('RATE_LIMITED');
    expect(await wrong('2001:db8:1:3::1')).toBe('BAD_CREDENTIALS');
  });
});

test('the counters contain no address in plain text', async () => {
  await wrong(CAFE, 'secret@example.org');
  const { rows } = await sql<{ text: string }>`
    select encode(key, 'escape') as text from login_guess
  `.execute(identity.database);
  expect(rows).toHaveLength(3);
  expect(rows.filter(({ text }) => text.includes('example') || text.includes(CAFE))).toEqual([]);
});

test('the wait is between zero and the maximum', () => {
  const rule = { free: 3, longestSeconds: 60 };
  expect([0, 2, 3, 4, 8, 9, 1001].map((count) => waitSeconds(rule, { wrong: count, quietSeconds: 0 }))).toEqual([
    0, 0, 1, 2, 32, 60, 60,
  ]);
  expect(waitSeconds(rule, { wrong: 9, quietSeconds: 59.5 })).toBe(0.5);
  expect(waitSeconds(rule, { wrong: 9, quietSeconds: 61 })).toBe(0);
});
