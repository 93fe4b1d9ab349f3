import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { loadConfig } from '../../src/config.ts';
import { secretBox } from '../../src/two-factor/secret-box.ts';
import { recoveryCodeHash } from '../../src/two-factor/recovery-code.ts';
import { GRACE, logIn, registerVerified, startAccounts } from '../accounts-by-mail.ts';
import {
  addAccount,
  ADMIN,
  type Assertions,
  assertionsOf,
  call,
  codeOf,
  environmentOf,
  loginAdmin,
  newKey,
  startIdentity,
} from '../identity-service.ts';

const accounts = await startAccounts();
afterAll(() => accounts.stop());

/** Returns the code that an authenticator shows `steps` of 30 s from now. */
function codeFor(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

let names = 0;
/** Creates an account with two-factor sign-in. */
async function enrolled() {
  const who = { ...GRACE, email: `two-factor-${++names}@example.org` };
  const { assertions } = await registerVerified(accounts, who);
  const { secret } = await accounts.twoFactor.beginTwoFactor({ password: who.password }, call(assertions));
  const confirmedBy = codeFor(secret);
  const { recoveryCodes } = await accounts.twoFactor.confirmTwoFactor({ otp: confirmedBy }, call(assertions));
  const logsIn = (otp?: string) =>
    codeOf(accounts.client.login({ ...who, rememberMe: false, ...(otp === undefined ? {} : { otp }) }, call()));
  return { who, assertions, secret, confirmedBy, recoveryCodes, logsIn };
}

describe('two-factor sign-in', () => {
  test('requires a code only after its confirmation', async () => {
    const who = { ...GRACE, email: 'begins@example.org' };
    const { assertions } = await registerVerified(accounts, who);
    const begun = await accounts.twoFactor.beginTwoFactor({ password: who.password }, call(assertions));
    expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(begun.otpauthUrl).toMatch(/^otpauth:\/\/totp\/.*begins%40example\.org\?.*secret=/);
    expect(begun.otpauthUrl).toContain(begun.secret);
    await expect(logIn(accounts, who)).resolves.toBeDefined();
    const confirm = (otp: string) => accounts.twoFactor.confirmTwoFactor({ otp }, call(assertions));
    await expect(codeOf(confirm('12345'))).resolves.toBe('BAD_CREDENTIALS');
    const { recoveryCodes } = await confirm(codeFor(begun.secret));
    expect(new Set(recoveryCodes).size).toBe(10);
    await expect(accounts.twoFactor.getTwoFactor({}, call(assertions))).resolves.toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    });
    await expect(codeOf(logIn(accounts, who))).resolves.toBe('OTP_REQUIRED');
    await expect(codeOf(confirm(codeFor(begun.secret, 1)))).resolves.toBe('CONFLICT');
    const again = accounts.twoFactor.beginTwoFactor({ password: who.password }, call(assertions));
    await expect(codeOf(again)).resolves.toBe('CONFLICT');
    await accounts.nextMail(who.email, 'Two-factor sign-in was turned on');
  });

  test('starts only with the right password, in a session', async () => {
    const who = { ...GRACE, email: 'thief@example.org' };
    const { assertions } = await registerVerified(accounts, who);
    const begin = (password: string, as: Assertions) =>
      codeOf(accounts.twoFactor.beginTwoFactor({ password }, call(as)));
    await expect(begin('a wrong password', assertions)).resolves.toBe('BAD_CREDENTIALS');
    const { secret } = await accounts.tokens.createToken({ name: 'notebook' }, call(assertions));
    await expect(begin(who.password, await assertionsOf(accounts, secret))).resolves.toBe('SESSION_REQUIRED');
  });

  test('accepts a code once, and no earlier code', async () => {
    const { secret, confirmedBy, logsIn } = await enrolled();
    // This is the code that confirmed the secret.
    await expect(logsIn(confirmedBy)).resolves.toBe('BAD_CREDENTIALS');
    const code = codeFor(secret, 1);
    const both = await Promise.all([logsIn(code), logsIn(code)]);
    expect(both.sort()).toEqual(['BAD_CREDENTIALS', 'OK']);
    await expect(logsIn(codeFor(secret))).resolves.toBe('BAD_CREDENTIALS');
  });

  test('returns the same message for a wrong code as for a wrong password', async () => {
    const { who, logsIn } = await enrolled();
    const messageFor = async (password: string) =>
      accounts.client.login({ ...who, password, rememberMe: false, otp: '000000x' }, call()).catch(String);
    await expect(messageFor('a wrong password')).resolves.toBe(await messageFor(who.password));
    await expect(logsIn('')).resolves.toBe('BAD_CREDENTIALS');
  });

  test('throttles guessing of codes', async () => {
    const { logsIn } = await enrolled();
    const codes: string[] = [];
    for (let guess = 0; guess < 30 && codes.at(-1) !== 'RATE_LIMITED'; guess++) codes.push(await logsIn('123'));
    expect(codes.at(-1)).toBe('RATE_LIMITED');
  });

  test('accepts each recovery code once, in any spelling', async () => {
    const { assertions, recoveryCodes, logsIn } = await enrolled();
    const [first = '', second = ''] = recoveryCodes;
    await expect(logsIn(first)).resolves.toBe('OK');
    await expect(logsIn(first)).resolves.toBe('BAD_CREDENTIALS');
    await expect(logsIn(` ${second.toUpperCase().replaceAll('-', ' ')} `)).resolves.toBe('OK');
    const { recoveryCodesLeft } = await accounts.twoFactor.getTwoFactor({}, call(assertions));
    expect(recoveryCodesLeft).toBe(8);
  });

  test('ends the other sessions when it is turned on', async () => {
    const who = { ...GRACE, email: 'others@example.org' };
    const stolen = await registerVerified(accounts, who);
    const own = await logIn(accounts, who);
    const { secret } = await accounts.twoFactor.beginTwoFactor({ password: who.password }, call(own.assertions));
    await accounts.twoFactor.confirmTwoFactor({ otp: codeFor(secret) }, call(own.assertions));
    await expect(codeOf(assertionsOf(accounts, stolen.token))).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(assertionsOf(accounts, own.token))).resolves.toBe('OK');
  });

  test('is turned off with password and code, and remains on after a password reset', async () => {
    const { who, secret, recoveryCodes, logsIn } = await enrolled();
    await accounts.client.forgotPassword({ email: who.email }, call());
    const { link } = await accounts.nextMail(who.email, 'Choose a new password');
    const token = link?.searchParams.get('token') ?? '';
    await accounts.client.resetPassword({ token, newPassword: who.password }, call());
    await expect(logsIn()).resolves.toBe('OTP_REQUIRED');
    const { session } = await accounts.client.login({ ...who, rememberMe: false, otp: codeFor(secret, 1) }, call());
    const assertions = await assertionsOf(accounts, session?.token ?? '');
    const end = (password: string, otp: string) =>
      codeOf(accounts.twoFactor.disableTwoFactor({ password, otp }, call(assertions)));
    await expect(end(who.password, '1')).resolves.toBe('BAD_CREDENTIALS');
    await expect(end('a wrong password', codeFor(secret, 1))).resolves.toBe('BAD_CREDENTIALS');
    await expect(end(who.password, recoveryCodes[0] ?? '')).resolves.toBe('OK');
    await expect(logsIn()).resolves.toBe('OK');
    await accounts.nextMail(who.email, 'Two-factor sign-in was turned off');
  });

  test('stores neither the secret nor a recovery code in plain text', async () => {
    const { secret, recoveryCodes } = await enrolled();
    const sealed = await accounts.database.selectFrom('two_factor').select('sealed_secret').execute();
    const plain = Buffer.from(Secret.fromBase32(secret).bytes);
    expect(sealed.filter(({ sealed_secret }) => sealed_secret.includes(plain))).toEqual([]);
    const stored = await accounts.database.selectFrom('recovery_code').select('hash').execute();
    const hash = recoveryCodeHash(recoveryCodes[0] ?? '');
    expect(stored.filter((row) => row.hash.equals(hash))).toHaveLength(1);
  });
});

test('a sealed secret opens only with its key and for its owner', () => {
  const box = secretBox(randomBytes(32));
  const secret = randomBytes(20);
  const sealed = box.seal(secret, 'ada');
  expect(box.open(sealed, 'ada')).toEqual(secret);
  expect(() => box.open(sealed, 'grace')).toThrow();
  expect(() => secretBox(randomBytes(32)).open(sealed, 'ada')).toThrow();
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  expect(() => box.open(sealed, 'ada')).toThrow();
});

describe('without ESD_SECRETS_KEY', () => {
  test('turning it on fails with the reason', async () => {
    const identity = await startIdentity({ environment: { ESD_SECRETS_KEY: undefined } });
    const assertions = await assertionsOf(identity, (await loginAdmin(identity)).token);
    const begun = identity.twoFactor.beginTwoFactor({ password: ADMIN.password }, call(assertions));
    await expect(begun).rejects.toMatchObject({
      code: 'NOT_IMPLEMENTED',
      message: expect.stringContaining('ESD_SECRETS_KEY'),
    });
    await identity.stop();
  });

  test('the service does not start if staff need two-factor sign-in', () => {
    const environment = {
      ...environmentOf([newKey()], newKey()),
      ESD_DATABASE_URL: accounts.databaseUrl,
      ESD_REQUIRE_TWO_FACTOR: 'staff',
    };
    expect(loadConfig(environment).ESD_REQUIRE_TWO_FACTOR).toBe('staff');
    expect(() => loadConfig({ ...environment, ESD_SECRETS_KEY: '' })).toThrow('ESD_SECRETS_KEY must be set, because');
    expect(() => loadConfig({ ...environment, ESD_SECRETS_KEY: undefined })).toThrow('ESD_SECRETS_KEY must be set');
  });
});

test('if staff need two-factor sign-in, a role applies only with it', async () => {
  const identity = await startIdentity({ environment: { ESD_REQUIRE_TWO_FACTOR: 'staff' } });
  const { token } = await loginAdmin(identity);
  const list = async () => {
    const assertions = await assertionsOf(identity, token);
    return await codeOf(identity.administration.listAccounts({ role: 0, skip: 0, limit: 1 }, call(assertions)));
  };
  await expect(list()).resolves.toBe('TWO_FACTOR_REQUIRED');
  const user = await assertionsOf(identity, (await addAccount(identity, 'user@example.org')).token);
  const asUser = identity.administration.listAccounts({ role: 0, skip: 0, limit: 1 }, call(user));
  await expect(codeOf(asUser)).resolves.toBe('FORBIDDEN');
  const assertions = await assertionsOf(identity, token);
  const { secret } = await identity.twoFactor.beginTwoFactor({ password: ADMIN.password }, call(assertions));
  await expect(list()).resolves.toBe('TWO_FACTOR_REQUIRED');
  await identity.twoFactor.confirmTwoFactor({ otp: codeFor(secret) }, call(assertions));
  await expect(list()).resolves.toBe('OK');
  await identity.stop();
});
