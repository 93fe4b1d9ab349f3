import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { type Answer, apiAt } from './support/api.ts';
import { registerAccount } from './support/accounts.ts';
import { expectError } from './support/errors.ts';
import { decodeJwt, signSessionToken } from './support/jwt.ts';
import { me, profile, session } from './support/shapes.ts';

const stack = await sharedStack();
const api = apiAt(stack.url);
const who = await registerAccount(api, stack.dataDir, 'login');

const logIn = async () => session.parse((await api.post('/auth/login', who)).json);

describe('POST /auth/login', () => {
  test('returns a session', async () => {
    for (const base of ['', '/api']) {
      const answer = await api.post(`${base}/auth/login`, who);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(session.parse(answer.json)).toMatchObject({ email: who.email, role: 'USER' });
    }
  });

  test('returns a token whose lifetime is in milliseconds, 15 minutes to an hour', async () => {
    const { token, expiresIn } = await logIn();
    const { header, claims } = decodeJwt(token);
    expect(header).toMatchObject({ alg: 'ES256', typ: 'JWT' });
    expect((claims.exp - claims.iat) * 1000).toBe(expiresIn);
    expect(expiresIn).toBeGreaterThanOrEqual(15 * 60_000);
    expect(expiresIn).toBeLessThanOrEqual(60 * 60_000);
    expect(Math.abs(claims.iat - Date.now() / 1000)).toBeLessThan(120);
  });

  test('ignores the case of the address, accepts rememberMe, and ignores credentials', async () => {
    const body = { ...who, email: who.email.toUpperCase(), rememberMe: true };
    const answer = await api.post('/auth/login', body, { bearer: 'not-a-token' });
    expect(answer.status).toBe(200);
    session.parse(answer.json);
  });

  test('gives the same response to a wrong password and an unknown address', async () => {
    const wrong = expectError(
      await api.post('/auth/login', { ...who, password: 'wrong horse battery staple' }),
      401,
      'BAD_CREDENTIALS',
    );
    const unknown = expectError(
      await api.post('/auth/login', { email: 'unknown@example.org', password: who.password }),
      401,
      'BAD_CREDENTIALS',
    );
    expect({ ...wrong, requestId: '' }).toEqual({ ...unknown, requestId: '' });
    expect(wrong.message).not.toContain('horse');
  });

  test.each([
    [{}, ['email', 'password']],
    [{ email: 'a@example.org' }, ['password']],
    [{ email: 7, password: null }, ['email', 'password']],
    [{ ...who, rememberMe: 'yes' }, ['rememberMe']],
    [{ ...who, remember: true }, ['remember']],
    [{ ...who, password: '' }, ['password']],
    [{ ...who, password: 'x'.repeat(1_001) }, ['password']],
  ])('rejects %j and lists all of %j', async (body, paths) => {
    const { errors } = expectError(await api.post('/auth/login', body), 400, 'VALIDATION_FAILED');
    expect(errors?.map(({ path }) => path)).toEqual(paths);
    expect(JSON.stringify(errors)).not.toContain(who.password);
  });

  test('suggests the nearest member for a misspelled one', async () => {
    const { errors } = expectError(
      await api.post('/auth/login', { ...who, rememberme: true }),
      400,
      'VALIDATION_FAILED',
    );
    expect(errors?.[0]).toMatchObject({ path: 'rememberme', code: 'UNKNOWN_MEMBER' });
    expect(errors?.[0]?.message).toContain('rememberMe');
  });

  test.each(['[]', '"text"', '7', 'null', 'true'])('rejects %s', async (body) => {
    const answer = await api.post('/auth/login', body, { headers: { 'content-type': 'application/json' } });
    expectError(answer, 400, 'VALIDATION_FAILED');
  });
});

describe('POST /auth/refresh', () => {
  test('returns a new session, once', async () => {
    const first = await logIn();
    const answer = await api.post('/auth/refresh', { refreshToken: first.refreshToken }, { bearer: 'not-a-token' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const second = session.parse(answer.json);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect((await api.get('/auth/me', { bearer: second.token })).status).toBe(200);
  });

  test('ends the whole session if an old refresh token is used again', async () => {
    const first = await logIn();
    const other = await logIn();
    const second = session.parse((await api.post('/auth/refresh', { refreshToken: first.refreshToken })).json);
    expectError(await api.post('/auth/refresh', { refreshToken: first.refreshToken }), 401, 'TOKEN_REVOKED');
    expectError(await api.post('/auth/refresh', { refreshToken: second.refreshToken }), 401, 'TOKEN_REVOKED');
    for (const { token } of [first, second]) {
      expectError(await api.get('/auth/me', { bearer: token }), 401, 'TOKEN_REVOKED');
    }
    expect((await api.get('/auth/me', { bearer: other.token })).status).toBe(200);
  });

  test('accepts only its own tokens', async () => {
    for (const refreshToken of ['unknown', 'x'.repeat(43), (await logIn()).token]) {
      expectError(await api.post('/auth/refresh', { refreshToken }), 401, 'TOKEN_INVALID');
    }
    expectError(await api.post('/auth/refresh', {}), 400, 'VALIDATION_FAILED');
  });
});

describe("the caller's own account", () => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await logIn());
  });

  test('GET /auth/me', async () => {
    const answer = await api.get('/auth/me', { bearer: token });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(me.parse(answer.json)).toEqual({ email: who.email, role: 'USER', enabled: true });
  });

  test('GET /auth/profile', async () => {
    const answer = await api.get('/api/auth/profile', { bearer: token });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.text).not.toContain('null');
    const own = profile.parse(answer.json);
    expect(own).toMatchObject({ email: who.email, emailVerified: true, role: 'USER' });
    expect(own.createdAt).toMatch(/Z$/);
    expect(Date.parse(own.createdAt)).toBeLessThanOrEqual(Date.now());
  });

  test('ignores the case of the scheme, and accepts a token only in the header', async () => {
    expect((await api.get('/auth/me', { headers: { authorization: `bearer ${token}` } })).status).toBe(200);
    expectError(await api.get(`/auth/me?token=${token}`), 401, 'AUTH_REQUIRED');
    expectError(await api.get(`/auth/me?access_token=${token}`, { bearer: token }), 400, 'INVALID_PARAMETER');
  });
});

describe.each<[string, (headers: Record<string, string>) => Promise<Answer>]>([
  ['GET /auth/me', (headers) => api.get('/auth/me', { headers })],
  ['GET /auth/profile', (headers) => api.get('/auth/profile', { headers })],
  ['GET /data/my-records/ids', (headers) => api.get('/data/my-records/ids', { headers })],
  ['POST /moderation/records/1/approve', (headers) => api.post('/moderation/records/1/approve', {}, { headers })],
  ['POST /moderation/approve', (headers) => api.post('/moderation/approve', { recordIds: [1] }, { headers })],
])('%s', (_, call) => {
  test('needs a credential', async () => {
    const answer = await call({});
    expectError(answer, 401, 'AUTH_REQUIRED', /Bearer/);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each([
    'Basic YWRhOmFkYQ==',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer not-a-token',
    'Bearer esd_pat_0123456789abcdefghijABCDEFGHIJ0123456789',
    'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.',
    'token',
  ])('rejects "%s"', async (authorization) => {
    const answer = await call({ authorization });
    expectError(answer, 401, 'TOKEN_INVALID');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  test('rejects a token that was changed', async () => {
    const { token } = await logIn();
    const [header = '', claims = '', signature = ''] = token.split('.');
    const { claims: own } = decodeJwt(token);
    const longer = Buffer.from(JSON.stringify({ ...own, exp: own.exp + 3600 })).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    for (const changed of [`${header}.${longer}.${signature}`, `${none}.${claims}.`, `${header}.${claims}.`]) {
      expectError(await call({ authorization: `Bearer ${changed}` }), 401, 'TOKEN_INVALID');
    }
  });

  test('rejects an expired token', async () => {
    const { claims } = decodeJwt((await logIn()).token);
    const now = Math.floor(Date.now() / 1000);
    const expired = signSessionToken(stack.dataDir, { ...claims, iat: now - 7_200, exp: now - 1 });
    expectError(await call({ authorization: `Bearer ${expired}` }), 401, 'TOKEN_EXPIRED');
    // The same token with remaining time is valid: only its age was wrong.
    const living = signSessionToken(stack.dataDir, { ...claims, exp: now + 3_600 });
    expect((await api.get('/auth/me', { bearer: living })).status).toBe(200);
  });
});

describe('POST /auth/admin/create', () => {
  const body = { email: 'second@example.org', password: 'correct horse battery staple', name: 'Second' };

  test('is closed once there is an administrator', async () => {
    expectError(await api.post('/auth/admin/create', body), 403, 'ADMIN_EXISTS');
    // A credential that is sent is always checked, even if none is needed.
    expectError(await api.post('/auth/admin/create', body, { bearer: 'not-a-token' }), 401, 'TOKEN_INVALID');
    expectError(await api.post('/auth/login', body), 400, 'VALIDATION_FAILED');
    expectError(await api.post('/auth/login', { email: body.email, password: body.password }), 401, 'BAD_CREDENTIALS');
  });

  test('lists every problem of its body', async () => {
    const { errors } = expectError(
      await api.post('/auth/admin/create', { email: 1, role: 'ADMIN' }),
      400,
      'VALIDATION_FAILED',
    );
    expect(errors?.map(({ path }) => path).sort()).toEqual(['email', 'name', 'password', 'role']);
  });
});
