import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import { login } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { mailsTo, tokenOf } from './support/mail.ts';
import { me, profile, session } from './support/shapes.ts';

const { url, dataDir } = await sharedStack();
const api = apiAt(url);
const done = z.strictObject({ success: z.literal(true), message: z.string().min(1) });
const registered = done.extend({ email: z.string() });
const secret = z.object({ token: z.string() });

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const PASSWORD = 'a password of one’s own';
const NEW_PASSWORD = 'the next password of mine';
/** The registration data of a user that no other test has. */
const newUser = (name: string) => ({
  email: `${name}.${crypto.randomUUID().slice(0, 8)}@example.org`,
  password: PASSWORD,
  name: 'Grace Example',
});
type NewUser = ReturnType<typeof newUser>;

/** The form that a browser sends without script. */
const sendForm = (path: string, fields: Record<string, string>) =>
  request(`${url}${path}`, {
    method: 'POST',
    headers: { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
const verify = (token: string) => api.get(`/auth/verify-email?token=${token}`);
const registerVerified = async (name: string): Promise<NewUser> => {
  const who = newUser(name);
  await api.post('/auth/register', who);
  expect((await verify(await tokenOf(dataDir, who.email))).status).toBe(200);
  return who;
};
const logIn = async ({ email, password }: NewUser) =>
  session.parse((await api.post('/auth/login', { email, password })).json);
const statusOf = async (bearer: string) => (await api.get('/auth/me', { bearer })).status;

describe('POST /auth/register', () => {
  test('sends a mail whose link verifies the address; a login works only afterwards', async () => {
    const who = { ...newUser('register'), orcid: 'https://orcid.org/0000-0002-1694-233X' };
    const answer = await api.post('/api/auth/register', who, { bearer: 'not-a-token' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(registered.parse(answer.json).email).toBe(who.email);
    const credentials = { email: who.email, password: who.password };
    expectError(await api.post('/auth/login', credentials), 403, 'EMAIL_NOT_VERIFIED');
    expectError(await api.post('/auth/login', { ...credentials, password: 'wrong password' }), 401, 'BAD_CREDENTIALS');

    const [mail] = await mailsTo(dataDir, who.email);
    expect(mail?.link?.href).toMatch(/^https?:\/\/\S+\/auth\/verify-email\?token=[A-Za-z0-9_-]{43}$/);
    // The exact link, as a user follows it.
    const followed = await request(mail?.link?.href ?? '');
    expect([followed.status, done.parse(followed.json).success]).toEqual([200, true]);

    const bearer = await login(api, credentials);
    expect(me.parse((await api.get('/auth/me', { bearer })).json)).toMatchObject({ role: 'USER', enabled: true });
    expect(profile.parse((await api.get('/auth/profile', { bearer })).json)).toMatchObject({
      email: who.email,
      emailVerified: true,
      name: who.name,
      orcid: '0000-0002-1694-233X',
    });
  });

  test('returns the same response for an address that has an account, whose owner gets another mail', async () => {
    const who = await registerVerified('known');
    const known = await api.post('/auth/register', { ...who, password: 'the password of another' });
    const fresh = newUser('fresh');
    const unknown = await api.post('/auth/register', fresh);
    expect(known.text.replace(who.email, '')).toBe(unknown.text.replace(fresh.email, ''));
    expect(known.status).toBe(unknown.status);
    const mails = await mailsTo(dataDir, who.email, 2);
    expect(mails.map(({ subject }) => subject)).toEqual(['Confirm your email address', 'You already have an account']);
    await logIn(who);
  });

  test.each<[object, string]>([
    [{ email: 'a@example.org\r\nBcc: b@example.org' }, 'INVALID_REQUEST'],
    [{ role: 'ADMIN' }, 'VALIDATION_FAILED'],
  ])('rejects %j', async (part, code) => {
    const { message } = expectError(await api.post('/auth/register', { ...newUser('ugly'), ...part }), 400, code);
    expect(message).not.toContain(PASSWORD);
  });
});

describe('GET /auth/verify-email', () => {
  test('shows a button in a browser; the button uses up the link, opening the page does not', async () => {
    const who = newUser('browser');
    await api.post('/auth/register', who);
    const token = await tokenOf(dataDir, who.email);
    const head = await api.head(`/auth/verify-email?token=${token}`, { headers: BROWSER });
    expect(head.status).toBe(200);
    const page = await request(`${url}/auth/verify-email?token=${token}`, { headers: BROWSER });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Confirm address</button>');
    // In the form only: neither in the canonical URL nor in a link.
    expect(page.text.split(token)).toHaveLength(2);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'; /);
    expectError(await api.post('/auth/login', { email: who.email, password: who.password }), 403, 'EMAIL_NOT_VERIFIED');
    // The form that the button sends.
    const press = () => sendForm('/auth/verify-email', { token });
    const done = await press();
    expect([done.status, done.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(done.text).toContain('Your email address is confirmed.');
    await logIn(who);
  });

  test('says for a day that the address is confirmed, because mail scanners open links before people do', async () => {
    const who = newUser('scanned');
    await api.post('/auth/register', who);
    const token = await tokenOf(dataDir, who.email);
    const [scanner, ...repetitions] = await Promise.all([verify(token), verify(token), verify(token)]);
    expect([scanner, ...repetitions].map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const response of [await verify(token), await api.post('/auth/verify-email', { token })]) {
      expect([response.status, response.json]).toMatchObject([
        200,
        { message: expect.stringContaining('already verified') },
      ]);
    }
    const page = await request(`${url}/auth/verify-email?token=${token}`, { headers: BROWSER });
    for (const { status, text } of [page, await sendForm('/auth/verify-email', { token })]) {
      expect([status, text.includes('already confirmed. <a'), text.includes(token)]).toEqual([200, true, false]);
    }
    await logIn(who);
  });

  test('rejects an invalid token', async () => {
    expectError(await verify('x'.repeat(43)), 401, 'TOKEN_INVALID');
    expectError(await api.get('/auth/verify-email'), 400, 'INVALID_PARAMETER', /`token` is required/);
    expectError(await verify(''), 400, 'INVALID_PARAMETER');
  });
});

describe('mails on request', () => {
  test('POST /auth/resend-verification sends the link again', async () => {
    const who = newUser('resend');
    await api.post('/auth/register', who);
    await mailsTo(dataDir, who.email);
    const answer = await api.post('/auth/resend-verification', { email: who.email });
    expect([answer.status, done.parse(answer.json).success]).toEqual([200, true]);
    expect((await verify(await tokenOf(dataDir, who.email, 2))).status).toBe(200);
  });

  test.each(['resend-verification', 'forgot-password'])(
    'POST /auth/%s does not disclose whether an address has an account',
    async (path) => {
      const who = await registerVerified('known');
      const known = await api.post(`/auth/${path}`, { email: who.email });
      const unknown = await api.post(`/auth/${path}`, { email: newUser('unknown').email });
      expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
      expectError(await api.post(`/auth/${path}`, { email: 'no address' }), 400, 'INVALID_REQUEST');
      expectError(await api.post(`/auth/${path}`, {}), 400, 'VALIDATION_FAILED');
    },
  );

  test('their links are not logged', async () => {
    const who = await registerVerified('logged');
    const [mail] = await mailsTo(dataDir, who.email);
    const token = mail?.link?.searchParams.get('token') ?? '';
    // Logs are written in batches, a moment later.
    const logOf = (name: string, line: string) =>
      eventually(
        () => readFile(join(dataDir, 'logs', `${name}.log`), 'utf8'),
        (text) => text.includes(line),
      );
    expect(await logOf('identity-svc', mail?.file ?? '')).not.toContain(token);
    expect(await logOf('gateway', '/auth/verify-email')).not.toContain(token);
  });
});

describe('POST /auth/reset-password', () => {
  test('sets the password with the link of a mail, once, and ends every session', async () => {
    const who = await registerVerified('reset');
    const before = await logIn(who);
    await api.post('/auth/forgot-password', { email: who.email });
    const [, mail] = await mailsTo(dataDir, who.email, 2);
    expect(mail?.link?.pathname).toBe('/auth/reset-password');
    const form = await request(mail?.link?.href ?? '', { headers: BROWSER });
    expect([form.status, form.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(form.headers.get('content-security-policy')).toMatch(/^default-src 'self'; /);
    expect([form.headers.get('referrer-policy'), form.headers.get('cache-control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);

    const token = mail?.link?.searchParams.get('token') ?? '';
    const reset = (newPassword: string) => api.post('/auth/reset-password', { token, newPassword });
    expectError(await reset('short'), 400, 'INVALID_REQUEST');
    const short = await sendForm('/auth/reset-password', { token, newPassword: 'short' });
    // The link may be sent again.
    expect([short.status, short.text.includes('10 to 128 characters'), short.text.includes(token)]).toEqual([
      400,
      true,
      true,
    ]);
    const answer = await reset(NEW_PASSWORD);
    expect([answer.status, done.parse(answer.json).success]).toEqual([200, true]);
    expectError(await reset('yet another password'), 401, 'TOKEN_REVOKED');
    expectError(await api.get('/auth/me', { bearer: before.token }), 401, 'TOKEN_REVOKED');
    expectError(await api.post('/auth/login', { email: who.email, password: PASSWORD }), 401, 'BAD_CREDENTIALS');
    await logIn({ ...who, password: NEW_PASSWORD });
  });
});

describe('POST /auth/change-password', () => {
  test('needs the old password, and preserves the current session', async () => {
    const who = await registerVerified('change');
    const [own, other] = [await logIn(who), await logIn(who)];
    const change = (currentPassword: string) =>
      api.post('/auth/change-password', { currentPassword, newPassword: NEW_PASSWORD }, { bearer: own.token });
    expectError(await change('wrong password'), 401, 'BAD_CREDENTIALS');
    const answer = await change(PASSWORD);
    expect([answer.status, done.parse(answer.json).success]).toEqual([200, true]);
    expect(await statusOf(own.token)).toBe(200);
    expectError(await api.get('/auth/me', { bearer: other.token }), 401, 'TOKEN_REVOKED');
  });
});

describe('PUT /auth/profile', () => {
  test('changes the sent members, and null removes the ORCID iD', async () => {
    const { token: bearer } = await logIn(await registerVerified('profile'));
    const changes: [object, string, string | undefined][] = [
      [{ name: 'Grace Hopper', orcid: '0000000218250097' }, 'Grace Hopper', '0000-0002-1825-0097'],
      [{ orcid: null }, 'Grace Hopper', undefined],
    ];
    for (const [body, name, orcid] of changes) {
      const answer = await api.put('/auth/profile', body, { bearer });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const { name: nameNow, orcid: orcidNow } = profile.parse(answer.json);
      expect([nameNow, orcidNow]).toEqual([name, orcid]);
      expect((await api.get('/auth/profile', { bearer })).json).toEqual(answer.json);
    }
    expectError(await api.put('/auth/profile', { email: 'x@example.org' }, { bearer }), 400, 'VALIDATION_FAILED');
    const wrong = await api.put('/auth/profile', { orcid: '0000-0002-1825-0096' }, { bearer });
    expectError(wrong, 400, 'INVALID_REQUEST', /0000-0002-1825-0096/);
  });
});

describe('DELETE /auth/profile', () => {
  test('takes effect with the next request, and frees the address', async () => {
    const who = await registerVerified('delete');
    const own = await logIn(who);
    const { token } = secret.parse((await api.post('/auth/tokens', { name: 'script' }, { bearer: own.token })).json);
    const remove = (options: object) => api.delete('/auth/profile', options);
    const wrong = await remove({ bearer: own.token, body: { password: 'wrong password' } });
    expectError(wrong, 401, 'BAD_CREDENTIALS');
    const answer = await remove({ bearer: own.token, body: { password: PASSWORD } });
    expect([answer.status, done.parse(answer.json).success]).toEqual([200, true]);
    expectError(await api.get('/auth/me', { bearer: own.token }), 401, 'TOKEN_REVOKED');
    expect(await statusOf(token)).toBe(401);
    expect((await api.post('/auth/register', who)).status).toBe(201);
    expect((await verify(await tokenOf(dataDir, who.email, 2))).status).toBe(200);
    await logIn(who);
  });
});
