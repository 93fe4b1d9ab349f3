import { afterEach, describe, expect, test } from '@jest/globals';
import { Role } from '@esd/proto/esd/identity/v1/identity';
import { ServiceError } from '@esd/service/errors';
import { closeAll, get, startGateway, startUpstream } from '../upstream-servers.ts';

afterEach(closeAll);

const credentials = { email: 'ada@example.org', password: 'right' };
const sessionBody = { token: 't', email: 'ada@example.org', role: 'USER', expiresIn: 900_000 };

async function start(env: NodeJS.ProcessEnv = {}) {
  const calls: unknown[] = [];
  const session = {
    token: 't',
    refreshToken: 'next',
    email: credentials.email,
    role: Role.ROLE_USER,
    expiresInMs: 900_000,
  };
  const { port } = await startUpstream({
    identity: {
      login: (request) => {
        calls.push(['login', request]);
        const rememberedUntil = request.rememberMe ? new Date('2030-01-02T03:04:05Z') : undefined;
        return Promise.resolve({ session: { ...session, rememberedUntil } });
      },
      refresh: (request) => {
        calls.push(['refresh', request]);
        if (request.refreshToken === 'stolen') return Promise.reject(new ServiceError('TOKEN_REVOKED', 'ended'));
        if (request.refreshToken === 'away') return Promise.reject(new ServiceError('UNAVAILABLE', 'away'));
        return Promise.resolve({ session });
      },
      endByRefreshToken: (request) => {
        calls.push(['end', request]);
        return Promise.resolve({});
      },
    },
  });
  const gateway = await startGateway({ ports: [port], env });
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await get(`${gateway.url}${path}`, {
      method,
      headers: { origin: gateway.url, ...type, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const code: unknown = answer.status >= 400 ? answer.json() : undefined;
    return { ...answer, code, cookies: answer.headers.getSetCookie() };
  };
  return { ...gateway, calls, send, name: `esd-${gateway.port}` };
}

type Started = Awaited<ReturnType<typeof start>>;

describe('the cookie', () => {
  test.each(['', '/api'])('contains the refresh token, and the response body does not, under %p', async (base) => {
    const { send, calls, name } = await start();
    const answer = await send('POST', `${base}/session`, { authorization: 'Bearer bad' }, credentials);
    expect([answer.status, answer.json(), answer.headers.get('cache-control')]).toEqual([200, sessionBody, 'no-store']);
    expect(answer.cookies).toEqual([`${name}=next; Path=/; HttpOnly; SameSite=Strict`]);
    expect(calls).toEqual([['login', { ...credentials, rememberMe: false, otp: undefined, userAgent: 'node' }]]);
  });

  test('with rememberMe, persists after the browser is closed', async () => {
    const { send, name } = await start();
    const { cookies } = await send('POST', '/session', {}, { ...credentials, rememberMe: true });
    expect(cookies).toEqual([`${name}=next; Path=/; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Strict`]);
  });

  test.each([
    ['https://data.example/lab', '__Host-esd=next; Path=/; HttpOnly; Secure; SameSite=Strict'],
    ['http://127.0.0.1:8123/lab', 'esd-8123=next; Path=/; HttpOnly; SameSite=Strict'],
    ['http://localhost', 'esd-80=next; Path=/; HttpOnly; SameSite=Strict'],
  ])('has a name for the scheme and port, and the path /, with the public URL %s', async (publicUrl, cookie) => {
    const { send } = await start({ ESD_PUBLIC_URL: publicUrl });
    const answer = await send('POST', '/session', { origin: new URL(publicUrl).origin }, credentials);
    expect([answer.status, answer.cookies]).toEqual([200, [cookie]]);
  });

  test('is replaced by a refresh, deleted by a sign-out, and not read under another name', async () => {
    const { send, calls, name } = await start();
    const headers = { cookie: `esd-1=other; ${name}=now; x=y` };
    const refreshed = await send('POST', '/session/refresh', headers);
    expect([refreshed.status, refreshed.json()]).toEqual([200, sessionBody]);
    expect(refreshed.headers.get('cache-control')).toBe('no-store');
    expect(refreshed.cookies).toEqual([`${name}=next; Path=/; HttpOnly; SameSite=Strict`]);
    const ended = await send('DELETE', '/session', headers);
    expect([ended.status, ended.cookies]).toEqual([
      200,
      [`${name}=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict`],
    ]);
    expect((await send('POST', '/session/refresh', { cookie: 'esd-1=other' })).status).toBe(204);
    expect(calls).toEqual([
      ['refresh', { refreshToken: 'now', shared: true }],
      ['end', { refreshToken: 'now' }],
    ]);
  });

  test('is optional: without it, a refresh returns 204 and a sign-out 200', async () => {
    const { send, calls } = await start();
    expect((await send('POST', '/session/refresh', {}, {})).status).toBe(204);
    expect((await send('DELETE', '/session')).status).toBe(200);
    expect(calls).toEqual([]);
  });

  test('is deleted when it is rejected, and unchanged when the service is unavailable', async () => {
    const { send, name } = await start();
    const refused = await send('POST', '/session/refresh', { cookie: `${name}=stolen` });
    expect(refused.code).toMatchObject({ code: 'TOKEN_REVOKED' });
    expect(refused.cookies).toEqual([expect.stringMatching(/=; .*Expires=Thu, 01 Jan 1970/)]);
    const away = await send('POST', '/session/refresh', { cookie: `${name}=away` });
    expect([away.status, away.cookies]).toEqual([503, []]);
  });
});

describe('Origin', () => {
  const endpoints = [
    ['POST', '/session'],
    ['POST', '/api/session/refresh'],
    ['DELETE', '/session'],
  ] as const;

  test.each<[string, (started: Started) => Record<string, string>]>([
    ['null', () => ({ origin: 'null' })],
    ['the origin of another site', () => ({ origin: 'https://evil.example' })],
    ['an origin that CORS allows to write', () => ({ origin: 'https://lab.example' })],
    ['an origin with another port', () => ({ origin: 'http://127.0.0.1:1' })],
    ['an origin with another scheme', ({ port }) => ({ origin: `https://127.0.0.1:${port}` })],
    ['a prefix of the right origin', ({ url }) => ({ origin: url.slice(0, -1) })],
    ['the right origin with a path', ({ url }) => ({ origin: `${url}/` })],
    [
      'https from a proxy that is not trusted',
      ({ port }) => ({
        origin: `https://127.0.0.1:${port}`,
        'x-forwarded-proto': 'https',
      }),
    ],
  ])('%s is rejected before the body is read, without CORS headers', async (_case, headersFor) => {
    const started = await start();
    const { send, calls } = started;
    for (const [method, path] of endpoints) {
      const headers = { cookie: `${started.name}=now`, ...headersFor(started) };
      const answer = await send(method, path, headers, '{"nonsense');
      expect([answer.status, answer.code]).toMatchObject([403, { code: 'ORIGIN_NOT_ALLOWED' }]);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.cookies).toEqual([]);
    }
    expect(calls).toEqual([]);
  });

  test('is required', async () => {
    const { url, calls } = await start();
    const headers = { 'content-type': 'application/json' };
    const answer = await get(`${url}/session`, { method: 'POST', headers, body: JSON.stringify(credentials) });
    expect([answer.status, answer.json()]).toMatchObject([403, { code: 'ORIGIN_NOT_ALLOWED' }]);
    expect(calls).toEqual([]);
  });

  test('may be the origin that a trusted proxy forwards, or the origin of the public URL', async () => {
    const { send, port } = await start({ ESD_TRUSTED_PROXIES: '1', ESD_PUBLIC_URL: 'https://data.example/lab' });
    const proxied = { origin: `https://127.0.0.1:${port}`, 'x-forwarded-proto': 'https' };
    expect((await send('DELETE', '/session', proxied)).status).toBe(200);
    expect((await send('DELETE', '/session', { origin: 'https://data.example' })).status).toBe(200);
    expect((await send('DELETE', '/session', { origin: 'http://data.example' })).status).toBe(403);
  });

  test('is never allowed by CORS for another site', async () => {
    const { url } = await start();
    for (const path of ['/session', '/api/session/refresh', '/session/nothing']) {
      const { status, headers } = await get(`${url}${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://lab.example', 'access-control-request-method': 'POST' },
      });
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 204, null]);
      expect((await get(`${url}${path}`)).headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('plain HTTP', () => {
  test('is accepted on loopback, elsewhere only with ESD_INSECURE_COOKIES', async () => {
    const env = { ESD_PUBLIC_URL: 'http://lab.example:8080' };
    const headers = { origin: 'http://lab.example:8080' };
    const { send } = await start(env);
    const refused = await send('POST', '/session', headers, '{"nonsense');
    expect([refused.status, refused.code]).toMatchObject([403, { code: 'HTTPS_REQUIRED' }]);
    const allowed = await start({ ...env, ESD_INSECURE_COOKIES: 'on' });
    const answer = await allowed.send('POST', '/session', headers, credentials);
    expect([answer.status, answer.cookies]).toEqual([200, ['esd-8080=next; Path=/; HttpOnly; SameSite=Strict']]);
    for (const name of ['localhost', 'esd.localhost', '127.0.0.2', '[::1]']) {
      const local = await start({ ESD_PUBLIC_URL: `http://${name}:8080` });
      expect([
        name,
        (await local.send('POST', '/session', { origin: `http://${name}:8080` }, credentials)).status,
      ]).toEqual([name, 200]);
    }
  });
});

test('a body that is not JSON is rejected', async () => {
  const { send, calls } = await start();
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
    const headers = { 'content-type': type };
    expect((await send('POST', '/session', headers, JSON.stringify(credentials))).status).toBe(415);
    expect((await send('POST', '/session/refresh', headers, '{}')).status).toBe(415);
  }
  expect(calls).toEqual([]);
});

test('sign-ins count as accounts, refreshes and sign-outs as sessions, and rejected refreshes as both', async () => {
  const env = { ESD_RATE_LIMITS: 'on', ESD_LIMIT_SESSIONS: '6', ESD_LIMIT_ACCOUNTS: '2' };
  const { send, name } = await start(env);
  const signIn = await send('POST', '/session', {}, credentials);
  expect([signIn.status, signIn.headers.get('ratelimit-policy')]).toEqual([200, '"accounts";q=2;w=60']);
  const refused = () => send('POST', '/session/refresh', { cookie: `${name}=stolen` });
  expect((await refused()).status).toBe(401);
  // One sign-in and one rejected refresh use up the limit of two.
  const limited = await refused();
  expect([limited.status, limited.headers.get('ratelimit-policy')]).toEqual([429, '"accounts";q=2;w=60']);
  expect((await send('POST', '/session', {}, credentials)).status).toBe(429);
  for (let count = 0; count < 4; count += 1) {
    const answer = await send(count % 2 === 0 ? 'DELETE' : 'POST', count % 2 === 0 ? '/session' : '/session/refresh');
    expect(answer.headers.get('ratelimit-policy')).toBe('"sessions";q=6;w=60');
    expect(answer.status).toBeLessThan(300);
  }
  expect((await send('DELETE', '/session')).status).toBe(429);
});
