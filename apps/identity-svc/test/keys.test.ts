import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createPublicKey } from 'node:crypto';
import {
  addAccount,
  assertionsOf,
  call,
  codeOf,
  type IdentityUnderTest,
  loginAdmin,
  loginAgain,
  newKey,
  startIdentity,
} from './identity-service.ts';

const [recent, old] = [newKey(), newKey()];
let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await startIdentity({ sessionKeys: [recent, old] });
  await loginAdmin(identity);
});
afterAll(() => identity.stop());

const codeFor = (bearer: string) => codeOf(identity.client.resolveBearer({ bearer }, call()));

describe('the public keys', () => {
  test('are the verification keys of session tokens, the signing key first, without private parts', async () => {
    const { keys } = await identity.sessions.listSessionKeys({}, call());
    expect(keys).toEqual([recent, old].map(({ kid, x, y }) => ({ kid, x, y })));
    const { token } = await loginAgain(identity.client);
    const kid = jwt.decode(token, { complete: true })?.header.kid;
    const key = keys.find((one) => one.kid === kid);
    const publicKey = createPublicKey({
      key: { kty: 'EC', crv: 'P-256', x: key?.x ?? '', y: key?.y ?? '' },
      format: 'jwk',
    });
    expect(() => jwt.verify(token, publicKey, { algorithms: ['ES256'] })).not.toThrow();
  });
});

describe('sessions', () => {
  const list = async (token: string) =>
    (await identity.sessions.listSessions({}, call(await assertionsOf(identity, token)))).sessions;

  test('are listed newest first, with the current one marked', async () => {
    const { token: first } = await addAccount(identity, 'list@example.org');
    const { token: second } = await loginAgain(identity.client, true, 'list@example.org');
    const seen = await list(first);
    expect(seen.map(({ rememberMe, current }) => [rememberMe, current])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect((await list(second)).map(({ current }) => current)).toEqual([true, false]);
    await identity.database
      .updateTable('session')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('id', '=', seen[0]?.id ?? '')
      .execute();
    expect(await list(first)).toHaveLength(1);
  });

  test('end one by one: the tokens are revoked immediately, and other sessions remain', async () => {
    const { token: other } = await addAccount(identity, 'one@example.org');
    const { token, refreshToken } = await loginAgain(identity.client, false, 'one@example.org');
    const assertions = await assertionsOf(identity, token);
    await identity.sessions.logout({}, call(assertions));
    await expect(codeFor(token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(identity.client.refresh({ refreshToken }, call()))).resolves.toBe('TOKEN_REVOKED');
    await expect(codeFor(other)).resolves.toBe('OK');
    expect(await list(other)).toHaveLength(1);
    // The assertion is still valid, and ending a session is idempotent.
    await expect(codeOf(identity.sessions.logout({}, call(assertions)))).resolves.toBe('OK');
  });

  test('end all together, but sessions of other accounts and access tokens remain', async () => {
    const { token: stranger } = await addAccount(identity, 'stranger@example.org');
    const { token: first } = await addAccount(identity, 'all@example.org');
    const { token: second, refreshToken } = await loginAgain(identity.client, true, 'all@example.org');
    const assertions = await assertionsOf(identity, first);
    const { secret } = await identity.tokens.createToken({ name: 'x', expiresInDays: 30 }, call(assertions));
    await identity.sessions.logoutAll({}, call(assertions));
    for (const token of [first, second]) await expect(codeFor(token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(identity.client.refresh({ refreshToken }, call()))).resolves.toBe('TOKEN_REVOKED');
    for (const token of [stranger, secret]) await expect(codeFor(token)).resolves.toBe('OK');
  });

  test('end, with their session tokens, when a refresh token is used again', async () => {
    const { token: other } = await addAccount(identity, 'family@example.org');
    const first = await loginAgain(identity.client, false, 'family@example.org');
    const { session: second } = await identity.client.refresh({ refreshToken: first.refreshToken }, call());
    await expect(codeFor(second?.token ?? '')).resolves.toBe('OK');
    const again = identity.client.refresh({ refreshToken: first.refreshToken }, call());
    await expect(codeOf(again)).resolves.toBe('TOKEN_REVOKED');
    for (const token of [first.token, second?.token ?? '']) await expect(codeFor(token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeFor(other)).resolves.toBe('OK');
  });

  test('are not available to personal access tokens', async () => {
    const { token } = await addAccount(identity, 'pat@example.org');
    const { secret } = await identity.tokens.createToken(
      { name: 'x', expiresInDays: 30 },
      call(await assertionsOf(identity, token)),
    );
    const assertions = await assertionsOf(identity, secret);
    for (const ask of ['listSessions', 'logout', 'logoutAll'] as const) {
      await expect(codeOf(identity.sessions[ask]({}, call(assertions)))).resolves.toBe('SESSION_REQUIRED');
      await expect(codeOf(identity.sessions[ask]({}, call()))).resolves.toBe('AUTH_REQUIRED');
    }
    await expect(codeFor(token)).resolves.toBe('OK');
  });
});
