import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Role } from '@esd/proto/esd/identity/v1/identity';
import type { AccountRole } from '@esd/proto/account-role';
import {
  addAccount,
  ADMIN,
  type Assertions,
  assertionsOf,
  call,
  codeOf,
  loginAdmin,
  startIdentity,
} from './identity-service.ts';

const PAGE = { role: Role.ROLE_UNSPECIFIED, skip: 0, limit: 100 };

let admin: { id: string; assertions: Assertions };
const identity = await startIdentity();
beforeEach(async () => {
  await identity.database.deleteFrom('account').execute();
  const { token } = await loginAdmin(identity);
  const { id } = await identity.database.selectFrom('account').select('id').executeTakeFirstOrThrow();
  admin = { id, assertions: await assertionsOf(identity, token) };
});
afterAll(() => identity.stop());

const add = async (email: string, role: AccountRole = 'USER') => {
  const { id, token } = await addAccount(identity, email, role);
  return { id, token, assertions: await assertionsOf(identity, token) };
};
const list = (query: object, assertions = admin.assertions) =>
  identity.administration.listAccounts({ ...PAGE, ...query }, call(assertions));
const setRole = (accountId: string, role: Role, assertions = admin.assertions) =>
  identity.administration.setAccountRole({ accountId, role }, call(assertions));
const setEnabled = (accountId: string, enabled: boolean, assertions = admin.assertions) =>
  identity.administration.setAccountEnabled({ accountId, enabled }, call(assertions));
const codeFor = (bearer: string) => codeOf(identity.client.resolveBearer({ bearer }, call()));

describe('the accounts', () => {
  const found = async (query: object) => {
    const { accounts, total } = await list(query);
    return { emails: accounts.map(({ email }) => email), total };
  };

  test('are listed oldest first, page by page', async () => {
    for (const name of ['b', 'a', 'c']) await add(`${name}@example.org`);
    const emails = [ADMIN.email, 'b@example.org', 'a@example.org', 'c@example.org'];
    expect(await found({})).toEqual({ emails, total: 4 });
    expect(await found({ skip: 1, limit: 2 })).toEqual({ emails: emails.slice(1, 3), total: 4 });
    expect(await found({ skip: 9 })).toEqual({ emails: [], total: 4 });
  });

  test('are found by part of the address or name in any case, by role and by state', async () => {
    await add('100%_real@example.org', 'MODERATOR');
    const { id } = await add('jürgen@example.com');
    await setEnabled(id, false);
    expect((await found({ search: 'ADA@' })).emails).toEqual([ADMIN.email]);
    expect((await found({ search: 'JÜRGEN' })).emails).toEqual(['jürgen@example.com']);
    expect((await found({ search: '%_r' })).emails).toEqual(['100%_real@example.org']);
    expect((await found({ search: '_da@' })).emails).toEqual([]);
    expect((await found({ search: '\\' })).emails).toEqual([]);
    expect((await found({ role: Role.ROLE_MODERATOR })).emails).toEqual(['100%_real@example.org']);
    expect(await found({ enabled: false })).toEqual({ emails: ['jürgen@example.com'], total: 1 });
    expect((await found({ enabled: true, search: 'example.org' })).total).toBe(2);
  });
});

test('only an ADMIN with a session can read or change accounts', async () => {
  const user = await add('user@example.org');
  const moderator = await add('moderator@example.org', 'MODERATOR');
  const token = await identity.tokens.createToken({ name: 'x', expiresInDays: undefined }, call(admin.assertions));
  const pat = await assertionsOf(identity, token.secret);
  const calls: [string, (assertions: Assertions | undefined) => Promise<unknown>][] = [
    ['accounts', (assertions) => identity.administration.listAccounts(PAGE, call(assertions))],
    [
      'audit',
      (assertions) =>
        identity.administration.listAudit(
          {
            actor: undefined,
            subject: undefined,
            action: undefined,
            from: undefined,
            to: undefined,
            skip: 0,
            limit: 1,
          },
          call(assertions),
        ),
    ],
    [
      'role',
      (assertions) =>
        identity.administration.setAccountRole({ accountId: user.id, role: Role.ROLE_MODERATOR }, call(assertions)),
    ],
    [
      'enabled',
      (assertions) =>
        identity.administration.setAccountEnabled({ accountId: user.id, enabled: false }, call(assertions)),
    ],
  ];
  for (const [name, ask] of calls) {
    const codes = [];
    for (const assertions of [undefined, user.assertions, moderator.assertions, pat])
      codes.push(await codeOf(ask(assertions)));
    expect([name, codes]).toEqual([name, ['AUTH_REQUIRED', 'FORBIDDEN', 'FORBIDDEN', 'SESSION_REQUIRED']]);
  }
  const { accounts } = await list({ search: 'user@' });
  expect(accounts).toMatchObject([{ role: Role.ROLE_USER, enabled: true }]);
});

describe('a role', () => {
  test('applies from the next request on', async () => {
    const user = await add('user@example.org');
    const { account } = await setRole(user.id, Role.ROLE_ADMIN);
    expect(account).toMatchObject({ id: user.id, role: Role.ROLE_ADMIN });
    const now = await assertionsOf(identity, user.token);
    await expect(codeOf(list({}, now))).resolves.toBe('OK');
    await setRole(user.id, Role.ROLE_USER);
    await expect(codeOf(list({}, await assertionsOf(identity, user.token)))).resolves.toBe('FORBIDDEN');
    // The earlier assertion still contains the role ADMIN.
    await expect(codeOf(setRole(admin.id, Role.ROLE_USER, now))).resolves.toBe('FORBIDDEN');
  });

  test('cannot be set for an unknown account or without a value', async () => {
    await expect(codeOf(setRole(randomUUID(), Role.ROLE_USER))).resolves.toBe('ACCOUNT_NOT_FOUND');
    await expect(codeOf(setRole(admin.id, Role.ROLE_UNSPECIFIED))).resolves.toBe('INVALID_REQUEST');
  });
});

describe('a disabled account', () => {
  test('loses its sessions, and its tokens are suspended', async () => {
    const user = await add('user@example.org');
    const { secret } = await identity.tokens.createToken({ name: 'x', expiresInDays: 30 }, call(user.assertions));
    await setEnabled(user.id, false);
    await expect(codeFor(user.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeFor(secret)).resolves.toBe('TOKEN_REVOKED');
    const login = { email: 'user@example.org', password: ADMIN.password, rememberMe: false };
    await expect(codeOf(identity.client.login(login, call()))).resolves.toBe('BAD_CREDENTIALS');
    await setEnabled(user.id, true);
    await expect(codeFor(user.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeFor(secret)).resolves.toBe('OK');
    await expect(codeOf(identity.client.login(login, call()))).resolves.toBe('OK');
  });
});

describe('the last enabled ADMIN', () => {
  test('can be neither demoted nor disabled', async () => {
    const second = await add('second@example.org', 'ADMIN');
    await setEnabled(second.id, false);
    await expect(codeOf(setRole(admin.id, Role.ROLE_USER))).resolves.toBe('CONFLICT');
    await expect(codeOf(setEnabled(admin.id, false))).resolves.toBe('CONFLICT');
    await expect(codeOf(setRole(admin.id, Role.ROLE_ADMIN))).resolves.toBe('OK');
    await setEnabled(second.id, true);
    await expect(codeOf(setRole(admin.id, Role.ROLE_USER))).resolves.toBe('OK');
  });

  test.each<[string, (target: string, by: Assertions) => Promise<unknown>]>([
    ['demote', (target, by) => setRole(target, Role.ROLE_MODERATOR, by)],
    ['disable', (target, by) => setEnabled(target, false, by)],
  ])('remains when two %s each other at the same time', async (_, act) => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await add(`one${round}@example.org`, 'ADMIN'), await add(`two${round}@example.org`, 'ADMIN')];
      await setRole(admin.id, Role.ROLE_USER);
      const codes = await Promise.all([codeOf(act(two.id, one.assertions)), codeOf(act(one.id, two.assertions))]);
      expect(codes.sort()).toEqual(['FORBIDDEN', 'OK']);
      await identity.database.updateTable('account').set({ role: 'ADMIN' }).where('id', '=', admin.id).execute();
      await identity.database.deleteFrom('account').where('id', 'in', [one.id, two.id]).execute();
    }
  });

  test('remains when all demote themselves at the same time', async () => {
    const others = [];
    for (let number = 0; number < 3; number += 1) others.push(await add(`admin${number}@example.org`, 'ADMIN'));
    const all = [admin, ...others];
    const codes = await Promise.all(all.map(({ id, assertions }) => codeOf(setRole(id, Role.ROLE_USER, assertions))));
    expect(codes.sort()).toEqual(['CONFLICT', 'OK', 'OK', 'OK']);
  });
});
