import { afterAll, describe, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { CORS_ORIGINS } from '@esd/testing/stack-kinds';
import { apiAt } from './support/api.ts';
import { readFeed } from './support/atom.ts';
import { expectError } from './support/errors.ts';
import { readLlmsTxt } from './support/llms-txt.ts';
import { page, profile, session } from './support/shapes.ts';
import { smallSubmission } from '@esd/testing/records';

const [ORIGIN = '', OTHER_ORIGIN = ''] = CORS_ORIGINS;

const stack = await leaseStack('fresh');
afterAll(() => stack.stop());
const api = apiAt(stack.url);

describe('an empty dataset', () => {
  test('is a page without records', async () => {
    for (const query of ['', '?skip=10&limit=5']) {
      const answer = await api.get(`/public/dataset${query}`);
      expect(answer.status).toBe(200);
      expect(page.parse(answer.json)).toMatchObject({ data: [], total: 0, version: 'latest' });
      expect(answer.headers.get('link')).not.toMatch(/rel="next"/);
      const conditional = { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } };
      expect((await api.get(`/public/dataset${query}`, conditional)).status).toBe(304);
    }
  });

  test('is exported as an empty array', async () => {
    const answer = await api.get('/public/dataset/export?format=json');
    expect([answer.status, answer.json]).toEqual([200, []]);
  });

  test('has an overview for programs whose URLs respond with 200', async () => {
    const text = await readLlmsTxt(stack.url);
    expect(text).toContain('> 0 electrospinning experiments from 0 papers');
    expect(text).toContain('There is no release yet.');
  });

  test('has valid feeds without entries', async () => {
    for (const path of ['/feeds/records.atom', '/feeds/releases.atom']) {
      expect(readFeed((await api.get(path)).text).entries).toEqual([]);
    }
  });
});

describe('the first administrator', () => {
  const password = 'correct horse battery staple';
  const create = (number: number, more: object = {}) =>
    api.post('/auth/admin/create', { email: `admin${number}@example.org`, password, name: `Admin ${number}`, ...more });

  test.each([
    [{ email: 'admin' }, /"admin"/],
    [{ email: 'a@example.org\r\nBcc: b@example.org' }, /email/],
    [{ password: 'short' }, /10 to 128/],
    [{ password: 'x'.repeat(129) }, /10 to 128/],
    [{ name: '   ' }, /name/],
  ])('is not created from %j', async (more, message) => {
    const { message: errorMessage } = expectError(await create(0, more), 400, 'INVALID_REQUEST', message);
    if ('password' in more) expect(errorMessage).not.toContain(more.password);
  });

  test('is created once by many simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => create(number)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    const [winner] = made;
    const { email } = profile.parse(winner?.json);
    expect(profile.parse(winner?.json)).toMatchObject({ emailVerified: true, role: 'ADMIN' });
    expect(winner?.headers.get('cache-control')).toBe('no-store');
    expect(winner?.text).not.toMatch(/password|hash|argon/i);
    for (const answer of answers) if (answer !== winner) expectError(answer, 403, 'ADMIN_EXISTS');

    const login = await api.post('/auth/login', { email, password });
    expect(session.parse(login.json)).toMatchObject({ email, role: 'ADMIN' });
    expectError(await create(99), 403, 'ADMIN_EXISTS');
  });
});

describe('a configured origin', () => {
  test('may write', async () => {
    for (const origin of [ORIGIN, OTHER_ORIGIN]) {
      const preflight = await api.get('/data/submit', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
      expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization,\s*content-type/i);
      expect(preflight.headers.get('vary')).toMatch(/origin/i);

      const answer = await api.post('/data/submit', smallSubmission(), { headers: { origin } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, origin]);
      expect(answer.headers.get('access-control-expose-headers')).toMatch(/location/i);
    }
  });

  test('is exactly the configured one', async () => {
    for (const origin of [
      'http://form.example.org',
      'https://form.example.org.evil.org',
      'https://form.example.org:8443',
      'null',
    ]) {
      const answer = await api.post('/data/submit', smallSubmission(), { headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
