import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { deleteExpired } from '../src/delete-expired.ts';
import { GRACE, logIn, registerVerified, startAccounts } from './accounts-by-mail.ts';
import { type Assertions, assertionsOf, call, codeOf } from './identity-service.ts';

const accounts = await startAccounts({ ESD_PASSWORD_PASSES: '3' });
await registerVerified(accounts);
afterAll(() => accounts.stop());

const logInFrom = async (clientIp: string, userAgent?: string, who = GRACE) => {
  const options = { ...call(), clientIp };
  const { session } = await accounts.client.login({ ...who, rememberMe: true, userAgent }, options);
  if (!session) throw new Error('the response has no session');
  return session;
};
const list = async (assertions: Assertions) => (await accounts.sessions.listSessions({}, call(assertions))).sessions;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

describe('a list of sessions', () => {
  test('contains the network and the shortened User-Agent of each session', async () => {
    const { token } = await logInFrom('203.0.113.77', `Firefox\t${'x'.repeat(500)}`);
    const [four] = await list(await assertionsOf(accounts, token));
    expect(four).toMatchObject({ network: '203.0.113.0/24', userAgent: `Firefox ${'x'.repeat(112)}`, current: true });
    await logInFrom('2001:db8:1:2:3:4:5:6');
    const [six] = await list(await assertionsOf(accounts, token));
    expect(six).toMatchObject({ network: '2001:db8:1::/48', current: false });
    expect(six?.userAgent).toBeUndefined();
  });

  test('lets only the owner end a session', async () => {
    const own = await logIn(accounts, GRACE);
    const stolen = await logInFrom('203.0.113.9');
    const [other] = (await list(own.assertions)).filter(({ network }) => network === '203.0.113.0/24');
    const end = (assertions: Assertions, id: string) => codeOf(accounts.sessions.endSession({ id }, call(assertions)));
    const stranger = await registerVerified(accounts, { ...GRACE, email: 'stranger@example.org' });
    await expect(end(stranger.assertions, other?.id ?? '')).resolves.toBe('SESSION_NOT_FOUND');
    await expect(end(own.assertions, randomUUID())).resolves.toBe('SESSION_NOT_FOUND');
    await expect(end(own.assertions, other?.id ?? '')).resolves.toBe('OK');
    await expect(end(own.assertions, other?.id ?? '')).resolves.toBe('SESSION_NOT_FOUND');
    await expect(codeOf(assertionsOf(accounts, stolen.token))).resolves.toBe('TOKEN_REVOKED');
    const refreshed = accounts.client.refresh({ refreshToken: stolen.refreshToken }, call());
    await expect(codeOf(refreshed)).resolves.toBe('TOKEN_REVOKED');
  });
});

describe('a session family', () => {
  const began = async (days: number) => {
    const session = await logInFrom('203.0.113.9');
    const assertions = await assertionsOf(accounts, session.token);
    const id = (await list(assertions)).find(({ current }) => current)?.id ?? '';
    await accounts.database
      .updateTable('session')
      .set({ created_at: daysAgo(days) })
      .where('id', '=', id)
      .execute();
    return { ...session, id };
  };
  const refresh = (refreshToken: string) => accounts.client.refresh({ refreshToken }, call());

  test('ends 90 days after its sign-in, regardless of refreshes', async () => {
    const { refreshToken, token } = await began(90);
    await expect(codeOf(refresh(refreshToken))).resolves.toBe('TOKEN_EXPIRED');
    await expect(codeOf(assertionsOf(accounts, token))).resolves.toBe('TOKEN_REVOKED');
  });

  test('issues no refresh token that outlives it', async () => {
    const { refreshToken, id } = await began(89);
    await refresh(refreshToken);
    const { expires_at } = await accounts.database
      .selectFrom('session')
      .select('expires_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(expires_at.getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000);
  });
});

describe('mails notify the owner about', () => {
  test('a sign-in, but only from a new network', async () => {
    const who = { ...GRACE, email: 'traveler@example.org' };
    await accounts.client.register(who, call());
    await accounts.client.verifyEmail({ token: await accounts.nextToken(who.email) }, call());
    // The first sign-in.
    await logInFrom('198.51.100.1', undefined, who);
    await logInFrom('198.51.100.200', undefined, who);
    await logInFrom('192.0.2.1', undefined, who);
    const mail = await accounts.nextMail(who.email, 'A sign-in from a new network');
    expect(mail.source).toContain('from 192.0.2.0/24');
    await logInFrom('192.0.2.99', undefined, who);
    // An account without recent use has no known network.
    await accounts.database.deleteFrom('session').execute();
    await accounts.database.deleteFrom('known_login_network').execute();
    await logInFrom('198.51.100.1', undefined, who);
    await accounts.nextMail(who.email, 'A sign-in from a new network');
    const all = accounts.mailServer.received.filter(
      ({ to, subject }) => to === who.email && subject.includes('network'),
    );
    expect(all).toHaveLength(2);
  });

  test('a new token, without text from its creator, and a changed or reset password', async () => {
    const who = { ...GRACE, email: 'notified@example.org' };
    const { assertions } = await registerVerified(accounts, who);
    const name = 'visit https://evil.example';
    const { secret, token } = await accounts.tokens.createToken({ name, expiresInDays: 30 }, call(assertions));
    const mail = await accounts.nextMail(who.email, 'A personal access token was created');
    expect(mail.source).toContain(secret.slice(0, 12));
    expect(mail.source).not.toContain(secret.slice(0, 14));
    expect(mail.source).not.toContain('evil');
    await accounts.tokens.regenerateToken({ id: token?.id ?? 0 }, call(assertions));
    await accounts.nextMail(who.email, 'A personal access token was created');
    const passwords = { currentPassword: who.password, newPassword: who.password };
    await accounts.client.changePassword(passwords, call(assertions));
    await accounts.nextMail(who.email, 'Your password was changed');
    await accounts.client.forgotPassword({ email: who.email }, call());
    const { link } = await accounts.nextMail(who.email, 'Choose a new password');
    const reset = { token: link?.searchParams.get('token') ?? '', newPassword: who.password };
    await accounts.client.resetPassword(reset, call());
    await accounts.nextMail(who.email, 'Your password was reset');
  });
});

test('the next sign-in after an increase of the hash cost replaces the hash, also with concurrent sign-ins', async () => {
  const who = { ...GRACE, email: 'rehash@example.org' };
  await registerVerified(accounts, who);
  const hashOf = async () =>
    (
      await accounts.database
        .selectFrom('account')
        .select('password_hash as hash')
        .where('email', '=', who.email)
        .executeTakeFirstOrThrow()
    ).hash;
  // A cheaper hash of the same password, as under an earlier configuration.
  const cheap = await startAccounts({ ESD_PASSWORD_PASSES: '1' });
  await cheap.client.register(who, call());
  const { password_hash } = await cheap.database.selectFrom('account').selectAll().executeTakeFirstOrThrow();
  await cheap.stop();
  await accounts.database.updateTable('account').set({ password_hash }).where('email', '=', who.email).execute();
  const logins = await Promise.all(Array.from({ length: 5 }, () => codeOf(logIn(accounts, who))));
  expect(logins).toEqual(['OK', 'OK', 'OK', 'OK', 'OK']);
  const raised = await hashOf();
  expect(raised).toMatch(/t=3,/);
  await logIn(accounts, who);
  await expect(hashOf()).resolves.toBe(raised);
});

test('client addresses in the audit trail are erased after the configured number of days, and the entries remain', async () => {
  await logInFrom('203.0.113.50');
  const count = async () => {
    const { rows } = await sql<{ entries: number; origins: number }>`
      select (select count(*) from audit) as entries, (select count(*) from audit_origin) as origins
    `.execute(accounts.database);
    return rows[0] ?? { entries: 0, origins: 0 };
  };
  const before = await count();
  expect(before.origins).toBeGreaterThan(0);
  await deleteExpired(accounts.database, 90);
  await expect(count()).resolves.toEqual(before);
  await sql`alter table audit disable trigger audit_append_only`.execute(accounts.database);
  await sql`update audit set at = at - interval '91 days'`.execute(accounts.database);
  await sql`alter table audit enable trigger audit_append_only`.execute(accounts.database);
  await deleteExpired(accounts.database, 90);
  await expect(count()).resolves.toEqual({ entries: before.entries, origins: 0 });
});
