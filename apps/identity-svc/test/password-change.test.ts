import { afterAll, describe, expect, test } from '@jest/globals';
import { GRACE, logIn, registerVerified, startAccounts } from './accounts-by-mail.ts';
import { type Assertions, assertionsOf, call, codeOf } from './identity-service.ts';

const NEW_PASSWORD = 'the next password of Grace';

const accounts = await startAccounts();
afterAll(() => accounts.stop());

const bearerCode = (bearer: string) => codeOf(accounts.client.resolveBearer({ bearer }, call()));
const change = (assertions: Assertions | undefined, currentPassword: string, newPassword: string) =>
  codeOf(accounts.client.changePassword({ currentPassword, newPassword }, call(assertions)));
const reset = (token: string, newPassword: string) =>
  codeOf(accounts.client.resetPassword({ token, newPassword }, call()));
const newAccount = async (name: string) => {
  const who = { ...GRACE, email: `${name}@example.org` };
  return { who, session: await registerVerified(accounts, who) };
};

describe('a password change', () => {
  test('ends every session except the current one', async () => {
    const { who, session } = await newAccount('change');
    const other = await logIn(accounts, who);
    await expect(change(session.assertions, who.password, NEW_PASSWORD)).resolves.toBe('OK');
    await expect(bearerCode(session.token)).resolves.toBe('OK');
    await expect(bearerCode(other.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(accounts.client.refresh({ refreshToken: other.refreshToken }, call()))).resolves.toBe(
      'TOKEN_REVOKED',
    );
    await expect(codeOf(accounts.client.refresh({ refreshToken: session.refreshToken }, call()))).resolves.toBe('OK');
    await expect(codeOf(logIn(accounts, who))).resolves.toBe('BAD_CREDENTIALS');
    await expect(codeOf(logIn(accounts, { ...who, password: NEW_PASSWORD }))).resolves.toBe('OK');
  });

  test('with an access token ends every session', async () => {
    const { who, session } = await newAccount('pat');
    const created = await accounts.tokens.createToken({ name: 'script' }, call(session.assertions));
    const assertions = await assertionsOf(accounts, created.secret);
    await expect(change(assertions, who.password, NEW_PASSWORD)).resolves.toBe('OK');
    await expect(bearerCode(session.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(bearerCode(created.secret)).resolves.toBe('OK');
  });

  test('requires the current password, a caller and a valid new password; otherwise nothing changes', async () => {
    const { who, session } = await newAccount('refused');
    const other = await logIn(accounts, who);
    await expect(change(undefined, who.password, NEW_PASSWORD)).resolves.toBe('AUTH_REQUIRED');
    await expect(change(session.assertions, 'a wrong password', NEW_PASSWORD)).resolves.toBe('BAD_CREDENTIALS');
    for (const bad of ['short', 'x'.repeat(129), '1234567890', 'QWERTYUIOP']) {
      await expect(change(session.assertions, who.password, bad)).resolves.toBe('INVALID_REQUEST');
    }
    await expect(bearerCode(other.token)).resolves.toBe('OK');
    await expect(codeOf(logIn(accounts, who))).resolves.toBe('OK');
  });

  test('voids reset links', async () => {
    const { who, session } = await newAccount('void');
    await accounts.client.forgotPassword({ email: who.email }, call());
    const token = await accounts.nextToken(who.email);
    await expect(change(session.assertions, who.password, NEW_PASSWORD)).resolves.toBe('OK');
    await expect(reset(token, 'the password of a thief')).resolves.toBe('TOKEN_REVOKED');
  });

  test('succeeds for one of two concurrent calls, without a deadlock', async () => {
    for (let race = 0; race < 20; race++) {
      const { who, session } = await newAccount(`race-${race}`);
      const codes = await Promise.all([
        change(session.assertions, who.password, 'the one new password'),
        change(session.assertions, who.password, 'the other new password'),
      ]);
      expect(codes.sort()).toEqual(['BAD_CREDENTIALS', 'OK']);
    }
  });
});

describe('a password reset', () => {
  test('ends every session and works once', async () => {
    const { who, session } = await newAccount('reset');
    await accounts.client.forgotPassword({ email: who.email.toUpperCase() }, call());
    const mail = await accounts.nextMail(who.email);
    expect(mail.link?.pathname).toBe('/auth/reset-password');
    const token = mail.link?.searchParams.get('token') ?? '';
    await expect(reset(token, 'short')).resolves.toBe('INVALID_REQUEST');
    await expect(reset(token, NEW_PASSWORD)).resolves.toBe('OK');
    await expect(reset(token, 'yet another password')).resolves.toBe('TOKEN_REVOKED');
    await expect(bearerCode(session.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(logIn(accounts, { ...who, password: NEW_PASSWORD }))).resolves.toBe('OK');
  });

  test('succeeds for one of ten concurrent calls', async () => {
    const { who } = await newAccount('ten');
    await accounts.client.forgotPassword({ email: who.email }, call());
    const token = await accounts.nextToken(who.email);
    const codes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => reset(token, `password number ${index} of ten`)),
    );
    expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
    expect(codes.filter((code) => code === 'TOKEN_REVOKED')).toHaveLength(9);
  });

  test('voids the other links', async () => {
    const { who } = await newAccount('links');
    const tokens: string[] = [];
    for (let count = 0; count < 2; count++) {
      await accounts.client.forgotPassword({ email: who.email }, call());
      tokens.push(await accounts.nextToken(who.email));
    }
    await expect(reset(tokens[0] ?? '', NEW_PASSWORD)).resolves.toBe('OK');
    await expect(reset(tokens[1] ?? '', 'the password of a thief')).resolves.toBe('TOKEN_REVOKED');
  });

  test('verifies the email address, because its owner has read a mail', async () => {
    const who = { ...GRACE, email: 'unverified@example.org' };
    await accounts.client.register(who, call());
    const verification = await accounts.nextToken(who.email);
    await accounts.client.forgotPassword({ email: who.email }, call());
    await expect(reset(await accounts.nextToken(who.email), NEW_PASSWORD)).resolves.toBe('OK');
    await expect(codeOf(logIn(accounts, { ...who, password: NEW_PASSWORD }))).resolves.toBe('OK');
    await expect(accounts.client.verifyEmail({ token: verification }, call())).resolves.toEqual({
      alreadyVerified: true,
    });
  });

  test('expires after an hour, and fails for a disabled account', async () => {
    const { who } = await newAccount('late');
    await accounts.client.forgotPassword({ email: who.email }, call());
    const token = await accounts.nextToken(who.email);
    const { expires_at } = await accounts.database
      .selectFrom('mail_token')
      .innerJoin('account', 'account.id', 'mail_token.account_id')
      .select('expires_at')
      .where('email', '=', who.email)
      .where('purpose', '=', 'set-password')
      .executeTakeFirstOrThrow();
    expect(Math.abs(expires_at.getTime() - Date.now() - 3_600_000)).toBeLessThan(120_000);
    const set = (enabled: boolean) =>
      accounts.database.updateTable('account').set({ enabled }).where('email', '=', who.email).execute();
    await set(false);
    await expect(reset(token, NEW_PASSWORD)).resolves.toBe('TOKEN_INVALID');
    await set(true);
    await accounts.database.updateTable('mail_token').set({ expires_at: new Date() }).execute();
    await expect(reset(token, NEW_PASSWORD)).resolves.toBe('TOKEN_EXPIRED');
  });
});
