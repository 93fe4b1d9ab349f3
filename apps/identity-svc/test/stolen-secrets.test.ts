import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AccountsUnderTest, GRACE, logIn, registerVerified, startAccounts } from './accounts-by-mail.ts';
import { ADMIN, type Assertions, assertionsOf, call, codeOf, loginAdmin } from './identity-service.ts';

let accounts: AccountsUnderTest;
beforeAll(async () => {
  accounts = await startAccounts();
  await registerVerified(accounts);
});
afterAll(() => accounts.stop());

const newToken = async (assertions: Assertions) =>
  (await accounts.tokens.createToken({ name: 'of a thief' }, call(assertions))).secret;

/** Resets the password by mail, like an owner who suspects a theft. */
async function reset(): Promise<void> {
  await accounts.client.forgotPassword({ email: GRACE.email }, call());
  const { link } = await accounts.nextMail(GRACE.email, 'Choose a new password');
  const token = link?.searchParams.get('token') ?? '';
  await accounts.client.resetPassword({ token, newPassword: GRACE.password }, call());
}

describe('a password reset', () => {
  test('revokes the personal access tokens of a thief', async () => {
    const { assertions } = await logIn(accounts, GRACE);
    const stolen = await newToken(assertions);
    await reset();
    await expect(codeOf(accounts.client.resolveBearer({ bearer: stolen }, call()))).resolves.toBe('TOKEN_REVOKED');
  });

  test('makes pending requests of the ended sessions fail', async () => {
    const { assertions } = await logIn(accounts, GRACE);
    await reset();
    await expect(codeOf(newToken(assertions))).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(accounts.client.deleteAccount({}, call(assertions)))).resolves.toBe('TOKEN_REVOKED');
  });
});

describe('a password change', () => {
  const change = async (revokeTokens: boolean) => {
    const { assertions } = await logIn(accounts, GRACE);
    const secret = await newToken(assertions);
    const passwords = { currentPassword: GRACE.password, newPassword: GRACE.password };
    await accounts.client.changePassword({ ...passwords, revokeTokens }, call(assertions));
    return await codeOf(accounts.client.resolveBearer({ bearer: secret }, call()));
  };

  test('does not revoke personal access tokens', async () => {
    await expect(change(false)).resolves.toBe('OK');
  });

  test('revokes them on request', async () => {
    await expect(change(true)).resolves.toBe('TOKEN_REVOKED');
  });
});

describe('a personal access token', () => {
  test('of an ADMIN has no staff permissions', async () => {
    const session = await assertionsOf(accounts, (await loginAdmin(accounts)).token);
    const token = await assertionsOf(accounts, await newToken(session));
    const asToken = call(token);
    const { administration } = accounts;
    await expect(codeOf(administration.listAccounts({ skip: 0, limit: 1, role: 0 }, asToken))).resolves.toBe(
      'SESSION_REQUIRED',
    );
    await expect(
      codeOf(administration.listAudit({ skip: 0, limit: 1, from: undefined, to: undefined }, asToken)),
    ).resolves.toBe('SESSION_REQUIRED');
  });

  test('deletes its account only with the password', async () => {
    const { assertions } = await logIn(accounts, GRACE);
    const token = await assertionsOf(accounts, await newToken(assertions));
    await expect(codeOf(accounts.client.deleteAccount({}, call(token)))).resolves.toBe('INVALID_REQUEST');
    const wrong = accounts.client.deleteAccount({ password: ADMIN.password }, call(token));
    await expect(codeOf(wrong)).resolves.toBe('BAD_CREDENTIALS');
    await expect(codeOf(accounts.client.deleteAccount({ password: GRACE.password }, call(token)))).resolves.toBe('OK');
  });
});
