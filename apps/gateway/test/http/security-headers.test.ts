import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, freePort, get, resolvedAdmin, startUpstream, startGateway } from '../upstream-servers.ts';

afterEach(closeAll);

const start = async (env: NodeJS.ProcessEnv = {}) => startGateway({ ports: [await freePort()], env });
const headersOf = async (url: string) => (await get(url)).headers;

test.each([
  ['/public/dataset', 'cross-origin'],
  ['/public/dataset/export', 'cross-origin'],
  ['/metadata/units', 'cross-origin'],
  ['/images/5e1b6f0c-3a51-4c7e-9f57-2f4f2a9d1c11/content', 'cross-origin'],
  ['/cache/download/excel', 'cross-origin'],
  ['/openapi.json', 'cross-origin'],
  ['/api/contributors/list', 'cross-origin'],
  ['/auth/me', 'same-origin'],
  ['/data/my-records', 'same-origin'],
  ['/auth/verify-email?token=x', 'same-origin'],
  ['/auth/reset-password?token=x', 'same-origin'],
  ['/docs', 'cross-origin'],
  ['/explore', 'cross-origin'],
  ['/nothing', 'same-origin'],
])('%s has the resource policy %s', async (path, policy) => {
  const { url } = await start();
  expect((await headersOf(url + path)).get('cross-origin-resource-policy')).toBe(policy);
});

test('paths that may contain a token are never sent as a referrer, and others only to the same origin', async () => {
  const { url } = await start();
  for (const path of ['/auth/verify-email?token=x', '/api/auth/verify-email?token=', '/auth/reset-password?token=x']) {
    expect((await headersOf(url + path)).get('referrer-policy')).toBe('no-referrer');
  }
  for (const path of ['/docs', '/public/dataset', '/nothing', '/%zz']) {
    expect((await headersOf(url + path)).get('referrer-policy')).toBe('strict-origin-when-cross-origin');
  }
});

test('Strict-Transport-Security is sent only when it is configured', async () => {
  expect((await headersOf(`${(await start()).url}/health`)).get('strict-transport-security')).toBeNull();
  const { url } = await start({ ESD_HSTS: '31536000' });
  for (const path of ['/health', '/nothing']) {
    expect((await headersOf(url + path)).get('strict-transport-security')).toBe('max-age=31536000');
  }
});

describe('/.well-known/security.txt', () => {
  test('does not exist without a contact', async () => {
    expect((await get(`${(await start()).url}/.well-known/security.txt`)).status).toBe(404);
  });

  test('has the contact and expires within a year (RFC 9116)', async () => {
    const { url } = await start({
      ESD_SECURITY_CONTACT: 'mailto:security@example.org',
      ESD_PUBLIC_URL: 'https://esd.example.org/data/',
    });
    const { status, headers, text } = await get(`${url}/.well-known/security.txt`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const lines = text.trimEnd().split('\n');
    expect(lines).toContain('Contact: mailto:security@example.org');
    expect(lines).toContain('Canonical: https://esd.example.org/data/.well-known/security.txt');
    const expires = Date.parse(lines.find((line) => line.startsWith('Expires: '))?.slice('Expires: '.length) ?? '');
    const days = (expires - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(80);
    expect(days).toBeLessThan(365);
  });

  test('rejects a contact that is not an address', async () => {
    await expect(start({ ESD_SECURITY_CONTACT: 'javascript:alert(1)' })).rejects.toThrow(/ESD_SECURITY_CONTACT/);
  });
});

test('creating the first administrator rejects a bad credential, although none is required', async () => {
  const bearers: unknown[] = [];
  const { port } = await startUpstream({
    identity: {
      resolveBearer: (request) => {
        bearers.push(request.bearer);
        return Promise.resolve(resolvedAdmin(request));
      },
    },
  });
  const { url } = await startGateway({ ports: [port] });
  const create = (authorization: string) =>
    get(`${url}/auth/admin/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: '{}',
    });
  const refused = await create('Basic x');
  expect([refused.status, refused.json()]).toEqual([401, expect.objectContaining({ code: 'TOKEN_INVALID' })]);
  expect((await create('Bearer good')).status).toBe(400);
  expect(bearers).toEqual(['good']);
});
