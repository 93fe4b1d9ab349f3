import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { REAL_TIMERS } from '@esd/testing/real-timers';
import { ADMIN, call, codeOf, type IdentityUnderTest, loginAgain, startIdentity } from '../identity-service.ts';

describe('refresh', () => {
  let identity: IdentityUnderTest;
  beforeAll(async () => {
    identity = await startIdentity();
    await identity.client.createFirstAdmin(ADMIN, call());
  });
  beforeEach(async () => {
    await identity.database.deleteFrom('session').execute();
    await identity.database.updateTable('account').set({ enabled: true, role: 'ADMIN' }).execute();
  });
  afterAll(() => identity.stop());

  const refresh = async (refreshToken: string) => {
    const { session } = await identity.client.refresh({ refreshToken }, call());
    if (!session) throw new Error('the response has no session');
    return session;
  };
  const refreshShared = async (refreshToken: string) => {
    const { session } = await identity.client.refresh({ refreshToken, shared: true }, call());
    if (!session) throw new Error('the response has no session');
    return session;
  };
  const usedAgo = async (seconds: number) => {
    await identity.database
      .updateTable('refresh_token')
      .set({ used_at: new Date(Date.now() - seconds * 1000) })
      .where('used_at', 'is not', null)
      .execute();
  };
  const resolve = (bearer: string) => codeOf(identity.client.resolveBearer({ bearer }, call()));

  test('returns a new session token and the next refresh token of the same session', async () => {
    const first = await loginAgain(identity.client);
    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);
    expect(new Set([first, second, third].map(({ refreshToken }) => refreshToken)).size).toBe(3);
    expect(third).toMatchObject({ email: first.email, role: first.role, expiresInMs: first.expiresInMs });
    await expect(resolve(first.token)).resolves.toBe('OK');
    await expect(resolve(third.token)).resolves.toBe('OK');
    const sessions = await identity.database.selectFrom('session').select('id').execute();
    expect(sessions).toHaveLength(1);
  });

  test('with a used token ends the session and its session tokens, but no other session', async () => {
    const other = await loginAgain(identity.client);
    const first = await loginAgain(identity.client);
    const second = await refresh(first.refreshToken);
    await expect(codeOf(refresh(first.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(refresh(second.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await expect(resolve(first.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(resolve(second.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(resolve(other.token)).resolves.toBe('OK');
    await expect(codeOf(refresh(other.refreshToken))).resolves.toBe('OK');
  });

  test('with a used token that has expired also ends the session', async () => {
    const first = await loginAgain(identity.client);
    await identity.database
      .updateTable('refresh_token')
      .set({ used_at: new Date(0), expires_at: new Date(0) })
      .execute();
    await expect(codeOf(refresh(first.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await expect(resolve(first.token)).resolves.toBe('TOKEN_REVOKED');
  });

  test('succeeds for one of twenty concurrent calls with the same token, and the session ends', async () => {
    const first = await loginAgain(identity.client);
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => refresh(first.refreshToken)));
    const winners = answers.filter((answer) => answer.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'TOKEN_REVOKED' });
    }
    for (const { value } of winners) {
      await expect(resolve(value.token)).resolves.toBe('TOKEN_REVOKED');
      await expect(codeOf(refresh(value.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    }
  });

  test('with a shared token, used again within 30 seconds, returns the newest token of the session, even after further refreshes', async () => {
    const first = await loginAgain(identity.client);
    const second = await refreshShared(first.refreshToken);
    const again = await refreshShared(first.refreshToken);
    expect(again.refreshToken).toBe(second.refreshToken);
    const third = await refreshShared(second.refreshToken);
    jest.useFakeTimers({ now: Date.now(), doNotFake: REAL_TIMERS });
    await usedAgo(30);
    const late = await refreshShared(first.refreshToken).finally(() => {
      jest.useRealTimers();
    });
    expect(late.refreshToken).toBe(third.refreshToken);
    for (const { token } of [first, second, again, third, late]) await expect(resolve(token)).resolves.toBe('OK');
    const tokens = await identity.database.selectFrom('refresh_token').select('token_hash').execute();
    expect(tokens).toHaveLength(3);
  });

  test('with a shared token returns the same next token to five concurrent calls', async () => {
    const first = await loginAgain(identity.client);
    const answers = await Promise.all(Array.from({ length: 5 }, () => refreshShared(first.refreshToken)));
    expect(new Set(answers.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    for (const { token } of answers) await expect(resolve(token)).resolves.toBe('OK');
    await expect(codeOf(refreshShared(answers[0]?.refreshToken ?? ''))).resolves.toBe('OK');
  });

  test('with a shared token, used again after 30 seconds, ends the session', async () => {
    const first = await loginAgain(identity.client);
    const second = await refreshShared(first.refreshToken);
    await usedAgo(31);
    await expect(codeOf(refreshShared(first.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(refreshShared(second.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await expect(resolve(second.token)).resolves.toBe('TOKEN_REVOKED');
  });

  test.each([
    ['shared, then strictly', refreshShared, refresh],
    ['strictly, then shared', refresh, refreshShared],
  ])('%s with one token ends the session immediately', async (_case, once, twice) => {
    const first = await loginAgain(identity.client);
    const second = await once(first.refreshToken);
    await expect(codeOf(twice(first.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await expect(resolve(second.token)).resolves.toBe('TOKEN_REVOKED');
  });

  test('with a shared token, used again within 30 seconds, fails for an ended session or a disabled account', async () => {
    const first = await loginAgain(identity.client);
    await refreshShared(first.refreshToken);
    await identity.database.updateTable('account').set({ enabled: false }).execute();
    await expect(codeOf(refreshShared(first.refreshToken))).resolves.toBe('TOKEN_REVOKED');
  });

  test('returns the expiry of the refresh token after a login with rememberMe', async () => {
    const remembered = await loginAgain(identity.client, true);
    const { rememberedUntil } = await refreshShared(remembered.refreshToken);
    const days = ((rememberedUntil?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(Math.abs(days - 30)).toBeLessThan(0.01);
    expect((await loginAgain(identity.client)).rememberedUntil).toBeUndefined();
  });

  test('ending by refresh token works with a used token, and ignores unknown tokens', async () => {
    const end = (refreshToken: string) => codeOf(identity.client.endByRefreshToken({ refreshToken }, call()));
    const other = await loginAgain(identity.client);
    const first = await loginAgain(identity.client);
    const second = await refreshShared(first.refreshToken);
    await expect(end('A'.repeat(43))).resolves.toBe('OK');
    await expect(end('nothing')).resolves.toBe('OK');
    await expect(resolve(second.token)).resolves.toBe('OK');
    await expect(end(first.refreshToken)).resolves.toBe('OK');
    await expect(resolve(second.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(refreshShared(second.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await expect(resolve(other.token)).resolves.toBe('OK');
  });

  test.each([
    ['another format', 'not a refresh token'],
    ['nothing', ''],
    ['an unknown token', 'A'.repeat(43)],
  ])('with %s is TOKEN_INVALID', async (_case, refreshToken) => {
    await expect(codeOf(refresh(refreshToken))).resolves.toBe('TOKEN_INVALID');
  });

  test('with an expired token returns TOKEN_EXPIRED, and the session remains valid', async () => {
    const first = await loginAgain(identity.client);
    await identity.database.updateTable('refresh_token').set({ expires_at: new Date() }).execute();
    await expect(codeOf(refresh(first.refreshToken))).resolves.toBe('TOKEN_EXPIRED');
    await expect(resolve(first.token)).resolves.toBe('OK');
  });

  test('returns TOKEN_REVOKED for a disabled account, and TOKEN_INVALID for a deleted account', async () => {
    const first = await loginAgain(identity.client);
    await identity.database.updateTable('account').set({ enabled: false }).execute();
    await expect(codeOf(refresh(first.refreshToken))).resolves.toBe('TOKEN_REVOKED');
    await identity.database.deleteFrom('session').execute();
    await expect(codeOf(refresh(first.refreshToken))).resolves.toBe('TOKEN_INVALID');
  });

  test.each([
    [false, 24 * 3_600_000],
    [true, 30 * 24 * 3_600_000],
  ])(
    'with rememberMe %s has refresh tokens for %d ms and session tokens of the usual lifetime',
    async (rememberMe, lifetime) => {
      const first = await loginAgain(identity.client, rememberMe);
      const second = await refresh(first.refreshToken);
      expect(second.expiresInMs).toBe(30 * 60_000);
      const tokens = await identity.database.selectFrom('refresh_token').select('expires_at').execute();
      expect(tokens).toHaveLength(2);
      for (const { expires_at } of tokens) {
        expect(Math.abs(expires_at.getTime() - Date.now() - lifetime)).toBeLessThan(120_000);
      }
    },
  );
});
