import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Passwords, openPasswords } from '../../src/account/password.ts';
import { register as registerAccount } from '../../src/own-account/register.ts';
import { Role } from '@esd/proto/esd/identity/v1/identity';
import { GRACE, logIn, registerVerified, startAccounts } from '../accounts-by-mail.ts';
import { call, codeOf } from '../identity-service.ts';

const accounts = await startAccounts();
afterAll(() => accounts.stop());

const register = (who: object) => accounts.client.register({ ...GRACE, ...who }, call());
const tryLogin = (who: { email: string; password: string }) => codeOf(logIn(accounts, who));
const verify = (token: string) => codeOf(accounts.client.verifyEmail({ token }, call()));
const reset = (token: string, newPassword: string) =>
  codeOf(accounts.client.resetPassword({ token, newPassword }, call()));

describe('a registration', () => {
  test('allows a login once the address is verified, and the link works for a day after it', async () => {
    const who = { ...GRACE, orcid: 'https://orcid.org/0000-0002-1694-233x' };
    await expect(register(who)).resolves.toEqual({ email: GRACE.email });
    await expect(tryLogin({ ...GRACE, password: 'a wrong password' })).resolves.toBe('BAD_CREDENTIALS');
    await expect(tryLogin(GRACE)).resolves.toBe('EMAIL_NOT_VERIFIED');
    const mail = await accounts.nextMail(GRACE.email);
    expect(mail.link?.href).toMatch(/^https:\/\/dataset\.example\.org\/auth\/verify-email\?token=[A-Za-z0-9_-]{43}$/);
    expect(mail.source).toMatch(/^From: "?Dataset"? <no-reply@example.org>/m);
    expect(mail.source).toMatch(/^Content-Type: text\/html/m);
    const token = mail.link?.searchParams.get('token') ?? '';
    // A mail that is not marked as sent is deleted with its token.
    await accounts.allSent();
    await expect(verify(token)).resolves.toBe('OK');
    await expect(verify(token)).resolves.toBe('OK');
    const useHoursAgo = (hours: number) =>
      accounts.database
        .updateTable('mail_token')
        .set({ used_at: new Date(Date.now() - hours * 3_600_000) })
        .where('token_hash', '=', createHash('sha256').update(token).digest())
        .execute();
    await useHoursAgo(23.9);
    await expect(verify(token)).resolves.toBe('OK');
    await useHoursAgo(24.1);
    await expect(verify(token)).resolves.toBe('TOKEN_REVOKED');
    const { assertions, role } = await logIn(accounts, GRACE);
    expect(role).toBe(Role.ROLE_USER);
    const { account } = await accounts.client.getOwnAccount({}, call(assertions));
    expect(account).toMatchObject({ email: GRACE.email, name: 'Grace', orcid: '0000-0002-1694-233X' });
  });

  test('stores only the hash of a token', async () => {
    await register({ email: 'hash@example.org' });
    const token = await accounts.nextToken('hash@example.org');
    const rows = await accounts.database.selectFrom('mail_token').select('token_hash').execute();
    const hash = createHash('sha256').update(token).digest();
    expect(rows.filter(({ token_hash }) => token_hash.equals(hash))).toHaveLength(1);
    expect(JSON.stringify(await accounts.database.selectFrom('mail').selectAll().execute())).not.toContain(token);
  });

  test('with a known address returns the same response, changes nothing and notifies the owner', async () => {
    const who = { ...GRACE, email: 'known@example.org' };
    await registerVerified(accounts, who);
    const again = { ...who, email: 'Known@EXAMPLE.org', password: 'another long password', name: 'Mallory' };
    await expect(register(again)).resolves.toEqual({ email: again.email });
    const mail = await accounts.nextMail(who.email);
    expect([mail.subject, mail.link]).toEqual(['You already have an account', undefined]);
    expect(mail.source).not.toContain('Mallory');
    await expect(tryLogin(again)).resolves.toBe('BAD_CREDENTIALS');
    await expect(tryLogin(who)).resolves.toBe('OK');
  });

  test('costs one hash whether or not the address is known', async () => {
    const passwords = await openPasswords({ memoryKib: 7_168, passes: 1, lanes: 1, concurrency: 1, maxWaiting: 1 });
    let hashes = 0;
    const counting: Passwords = {
      ...passwords,
      hash: (password, signal) => {
        hashes += 1;
        return passwords.hash(password, signal);
      },
      verify: () => Promise.reject(new Error('unexpected password check')),
    };
    const origin = { ...call(), clientIp: undefined, signal: AbortSignal.timeout(60_000) };
    const verified = { ...GRACE, email: 'cost@example.org' };
    await registerVerified(accounts, verified);
    const unverified = { ...GRACE, email: 'unverified@example.org' };
    await register(unverified);
    for (const who of [verified, unverified, { ...GRACE, email: 'unknown@example.org' }]) {
      hashes = 0;
      await registerAccount(accounts.database, counting, who, origin);
      expect([who.email, hashes]).toEqual([who.email, 1]);
    }
  });
});

describe('an address that is registered again before it was verified', () => {
  test('belongs to the reader of its mails, with the password chosen there', async () => {
    const email = 'victim@example.org';
    await register({ email, password: "the attacker's password" });
    const attackers = await accounts.nextToken(email);
    await accounts.allSent();
    await register({ email, password: 'the password of the victim', orcid: '0000-0002-1825-0097' });
    const mail = await accounts.nextMail(email);
    expect(mail.link?.pathname).toBe('/auth/reset-password');
    await expect(verify(attackers)).resolves.toBe('TOKEN_REVOKED');
    await expect(reset(mail.link?.searchParams.get('token') ?? '', 'the chosen password')).resolves.toBe('OK');
    for (const password of ["the attacker's password", 'the password of the victim']) {
      await expect(tryLogin({ email, password })).resolves.toBe('BAD_CREDENTIALS');
    }
    const { assertions } = await logIn(accounts, { email, password: 'the chosen password' });
    const { account } = await accounts.client.getOwnAccount({}, call(assertions));
    expect(account?.orcid).toBeUndefined();
  });

  test('gets no valid link for the first registration when the mail is requested again', async () => {
    const email = 'again@example.org';
    await register({ email });
    await accounts.nextMail(email);
    await register({ email, password: "the attacker's password" });
    await accounts.nextMail(email);
    await accounts.client.resendVerification({ email }, call());
    expect((await accounts.nextMail(email)).link?.pathname).toBe('/auth/reset-password');
  });
});

describe('requesting a mail', () => {
  test('sends the verification mail again, and both links work', async () => {
    const email = 'resend@example.org';
    await register({ email });
    const first = await accounts.nextToken(email);
    await accounts.client.resendVerification({ email: ' Resend@Example.org ' }, call());
    const second = await accounts.nextToken(email);
    expect(second).not.toBe(first);
    await accounts.allSent();
    await expect(verify(first)).resolves.toBe('OK');
    await expect(accounts.client.verifyEmail({ token: second }, call())).resolves.toEqual({ alreadyVerified: true });
  });

  test('returns the same response and sends nothing when there is nothing to send', async () => {
    const email = 'verified@example.org';
    await registerVerified(accounts, { ...GRACE, email });
    const before = accounts.mailServer.received.length;
    await expect(accounts.client.resendVerification({ email }, call())).resolves.toEqual({});
    await expect(accounts.client.resendVerification({ email: 'absent@example.org' }, call())).resolves.toEqual({});
    await expect(accounts.client.forgotPassword({ email: 'absent@example.org' }, call())).resolves.toEqual({});
    await accounts.database.updateTable('account').set({ enabled: false }).where('email', '=', email).execute();
    await expect(accounts.client.forgotPassword({ email }, call())).resolves.toEqual({});
    await accounts.allSent();
    expect(accounts.mailServer.received.length).toBe(before);
    const left = await accounts.database.selectFrom('mail').select('id').where('account_id', 'is', null).execute();
    expect(left).toHaveLength(0);
  });

  test('cannot fill a mailbox', async () => {
    const email = 'bombed@example.org';
    await register({ email });
    for (let count = 0; count < 12; count++) await accounts.client.forgotPassword({ email }, call());
    await accounts.allSent();
    const subjects = accounts.mailServer.received.filter(({ to }) => to === email).map(({ subject }) => subject);
    expect(subjects).toEqual(['Confirm your email address', ...Array<string>(5).fill('Choose a new password')]);
  });
});

describe('a verification token', () => {
  test('expires', async () => {
    const email = 'late@example.org';
    await register({ email });
    const token = await accounts.nextToken(email);
    await accounts.database
      .updateTable('mail_token')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('account_id', 'in', (of) => of.selectFrom('account').select('id').where('email', '=', email))
      .execute();
    await expect(verify(token)).resolves.toBe('TOKEN_EXPIRED');
    await expect(tryLogin({ ...GRACE, email })).resolves.toBe('EMAIL_NOT_VERIFIED');
  });

  test('is not interchangeable with other tokens', async () => {
    const email = 'foreign@example.org';
    await register({ email });
    const token = await accounts.nextToken(email);
    await expect(reset(token, 'another long password')).resolves.toBe('TOKEN_INVALID');
    await accounts.client.forgotPassword({ email }, call());
    await expect(verify(await accounts.nextToken(email))).resolves.toBe('TOKEN_INVALID');
    await accounts.client.forgotPassword({ email }, call());
    await expect(reset(await accounts.nextToken(email), GRACE.password)).resolves.toBe('OK');
    const { refreshToken } = await logIn(accounts, { ...GRACE, email });
    for (const other of [refreshToken, '', 'x'.repeat(43), `${token}x`, "' or true --", '\0']) {
      await expect(verify(other)).resolves.toBe('TOKEN_INVALID');
    }
  });

  test('verifies the address in one of twenty concurrent calls', async () => {
    const email = 'twenty@example.org';
    await register({ email });
    const token = await accounts.nextToken(email);
    await accounts.allSent();
    const calls = Array.from({ length: 20 }, () => accounts.client.verifyEmail({ token }, call()));
    const repeated = (await Promise.all(calls)).filter(({ alreadyVerified }) => alreadyVerified);
    expect(repeated).toHaveLength(19);
  });
});

describe('typed input', () => {
  const local64 = 'l'.repeat(64);
  const domain255 = `${`${'d'.repeat(62)}.`.repeat(4)}ex`.padEnd(255, 'x');
  test.each([
    ['a dot and a tag', 'grace.hopper+esd@example.org', 'grace.hopper+esd@example.org'],
    ['320 characters', `${local64}@${domain255}`, `${local64}@${domain255}`],
    ['an internationalized domain', 'bücher@bücher.example', 'bücher@xn--bcher-kva.example'],
    ['letters in decomposed form', 'ade\u0301@example.org', 'adé@example.org'],
  ])('an address may have %s', async (_case, email, normalized) => {
    await register({ email });
    const row = await accounts.database
      .selectFrom('account')
      .select('id')
      .where('email_normalized', '=', normalized)
      .executeTakeFirst();
    expect(row).toBeDefined();
    await accounts.database.deleteFrom('account').where('email_normalized', '=', normalized).execute();
  });

  test('an address has one account for every spelling of its domain', async () => {
    await register({ email: 'twice@bücher.example' });
    expect((await accounts.nextMail('twice@bücher.example')).link?.pathname).toBe('/auth/verify-email');
    await register({ email: 'Twice@XN--BCHER-KVA.example' });
    expect((await accounts.nextMail('twice@bücher.example')).link?.pathname).toBe('/auth/reset-password');
  });

  const wrong: [string, object, RegExp][] = [
    ['65 characters before the @', { email: `${local64}l@example.org` }, /at most 64/],
    ['a domain of 256 characters', { email: `a@${domain255}x` }, /320|domain/],
    ['a domain label of 64 characters', { email: `a@${'d'.repeat(64)}.org` }, /domain/],
    ['a header after the address', { email: 'a@example.org\r\nBcc: b@example.org' }, /not an email/],
    ['a header in the name', { name: 'Grace\r\nBcc: b@example.org' }, /control characters/],
    ['two addresses', { email: 'a@example.org, b@example.org' }, /not an email/],
    ['an address with a name', { email: 'Grace <a@example.org>' }, /not an email/],
    ['an address in quotes', { email: '"a b"@example.org' }, /not an email/],
    ['a number as the domain', { email: 'a@127.1' }, /domain/],
    ['an invisible character', { email: 'a\u200b@example.org' }, /not an email/],
    ['half a surrogate pair', { email: 'a\ud800@example.org' }, /not an email/],
    ['a wrong check digit', { orcid: '0000-0002-1825-0098' }, /"0000-0002-1825-0098" is not a valid ORCID/],
    [
      'a link to another site as the ORCID iD',
      { orcid: 'https://example.org/0000-0002-1825-0097' },
      /not a valid ORCID/,
    ],
    ['a common password', { password: 'Qwertyuiop' }, /too common/],
    ['a common password in full-width letters', { password: 'ｑｗｅｒｔｙｕｉｏｐ' }, /too common/],
    ['a short password', { password: 'ninechars' }, /10 to 128/],
    ['a password of 129 characters', { password: 'x'.repeat(129) }, /10 to 128/],
  ];
  test.each(wrong)('%s is rejected with a reason', async (_case, part, message) => {
    const before = await accounts.database.selectFrom('mail').select('id').execute();
    await expect(register({ email: 'wrong@example.org', ...part })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    });
    const after = await accounts.database.selectFrom('mail').select('id').execute();
    expect(after).toHaveLength(before.length);
  });
});
