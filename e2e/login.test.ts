import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { registerAccount } from './support/accounts.ts';
import { expectError } from './support/errors.ts';
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
      const made = session.parse(answer.json);
      expect(made).toMatchObject({ email: who.email, role: 'USER' });
      // In milliseconds: 15 minutes to an hour.
      expect(made.expiresIn).toBeGreaterThanOrEqual(15 * 60_000);
      expect(made.expiresIn).toBeLessThanOrEqual(60 * 60_000);
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
  test('ignores the case of the scheme, and accepts a token only in the header', async () => {
    const { token } = await logIn();
    expect((await api.get('/auth/me', { headers: { authorization: `bearer ${token}` } })).status).toBe(200);
    expectError(await api.get(`/auth/me?token=${token}`), 401, 'AUTH_REQUIRED');
    expectError(await api.get(`/auth/me?access_token=${token}`, { bearer: token }), 400, 'INVALID_PARAMETER');
  });

  test('needs a credential', async () => {
    const answer = await api.get('/auth/me');
    expectError(answer, 401, 'AUTH_REQUIRED', /Bearer/);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });
});
