import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { registerAccount } from './support/accounts.ts';
import { expectError } from './support/errors.ts';
import { decodeJwt, signSessionToken } from './support/jwt.ts';
import { session } from './support/shapes.ts';

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
    expectError(await api.post('/auth/refresh', { refreshToken: first.refreshToken }), 401, 'TOKEN_REVOKED');
  });
});

describe('GET /auth/me', () => {
  const call = (headers: Record<string, string>) => api.get('/auth/me', { headers });

  test('ignores the case of the scheme, and accepts a token only in the header', async () => {
    const { token } = await logIn();
    expect((await call({ authorization: `bearer ${token}` })).status).toBe(200);
    expectError(await api.get(`/auth/me?token=${token}`), 401, 'AUTH_REQUIRED');
    expectError(await api.get(`/auth/me?access_token=${token}`, { bearer: token }), 400, 'INVALID_PARAMETER');
  });

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
    expectError(await api.post('/auth/login', { email: body.email, password: body.password }), 401, 'BAD_CREDENTIALS');
  });
});
