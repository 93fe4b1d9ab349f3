import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { rawHttp } from './support/raw-http.ts';
import { smallSubmission } from '@esd/testing/records';

const api = apiAt((await sharedStack()).url);

const READS = [
  '/public/dataset?limit=1',
  '/public/dataset/latest?limit=1',
  '/public/dataset/export?format=json',
  '/metadata/polymers',
  '/metadata/polymers/search?cas=9002-89-5',
  '/metadata/solvents',
  '/metadata/solvents/search?cas=67-64-1',
  '/metadata/morphologies',
  '/metadata/units',
  '/metadata/instabilities',
  '/metadata/papers',
  '/data/statuses',
  '/health',
  '/ready',
];
const WRITES = [
  '/auth/admin/create',
  '/auth/login',
  '/auth/refresh',
  '/data/submit',
  '/moderation/records/1/approve',
  '/moderation/approve',
];
const WITH_CALLER = ['/auth/me', '/auth/profile', '/data/my-records/ids'];

describe('both bases', () => {
  test.each(READS)('%s is the same at the root and under /api', async (path) => {
    // The state of a dependency in /ready can change between the two.
    const [root, base] = await eventually(
      () => Promise.all([api.get(path), api.get(`/api${path}`)]),
      ([one, other]) => one.status === 200 && one.text === other.text,
    );
    expect([root.status, base.status]).toEqual([200, 200]);
    expect(base.text).toBe(root.text);
  });

  test.each(WITH_CALLER)('%s needs a credential under both', async (path) => {
    for (const base of ['', '/api']) expectError(await api.get(base + path), 401, 'AUTH_REQUIRED');
  });

  test.each(WRITES)('%s checks its body under both', async (path) => {
    const answers = await Promise.all(['', '/api'].map((base) => api.post(base + path, '{')));
    const [first] = answers.map(({ status }) => status);
    expect(first).toBeGreaterThanOrEqual(400);
    expect(first).not.toBe(404);
    expect(answers.map(({ status }) => status)).toEqual([first, first]);
  });
});

describe('the request id', () => {
  test('is in every response and different for each', async () => {
    const answers = await Promise.all([...READS, '/nothing', '/public/dataset?limit=0'].map((path) => api.get(path)));
    const requestIds = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
    for (const id of requestIds) expect(id).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    expect(new Set(requestIds).size).toBe(answers.length);
  });

  test('is never the one that a client sends', async () => {
    const own = '11111111-1111-4111-8111-111111111111';
    const answer = await api.get('/health', { headers: { 'x-request-id': own } });
    expect(answer.headers.get('x-request-id')).not.toBe(own);
  });
});

test('no response discloses its software, or lets a browser guess content types', async () => {
  for (const path of [...READS, ...WITH_CALLER, '/nothing']) {
    const { headers } = await api.get(path);
    expect([path, headers.get('x-powered-by'), headers.get('server')]).toEqual([path, null, null]);
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
  }
});

describe('an unknown path', () => {
  test.each([
    '/nothing',
    '/api/nothing',
    '/api/api/health',
    '/Health',
    '/metadata',
    '/data',
    '/auth/logout/x',
    '/public',
  ])('GET %s is 404 with an error body', async (path) => {
    const { message } = expectError(await api.get(path), 404, 'ROUTE_NOT_FOUND');
    expect(message).toContain(path);
  });

  test('is 404 for any method', async () => {
    expectError(await api.post('/nothing', {}), 404, 'ROUTE_NOT_FOUND');
    expect((await api.head('/nothing')).status).toBe(404);
  });
});

describe('an unsupported method', () => {
  const ALSO_WRITTEN: Readonly<Record<string, string[]>> = {
    ...Object.fromEntries(
      ['polymers', 'solvents', 'morphologies', 'units', 'instabilities', 'papers'].map((list) => [
        `/metadata/${list}`,
        ['POST'],
      ]),
    ),
    '/auth/profile': ['PUT', 'DELETE'],
  };
  const methodsOf = (allow: string | null): string[] => (allow ?? '').split(', ').sort();

  test.each<[string, string[]]>([
    ...[...READS, ...WITH_CALLER].map((path): [string, string[]] => [
      path,
      ['GET', 'HEAD', 'OPTIONS', ...(ALSO_WRITTEN[path] ?? [])].sort(),
    ]),
    ...WRITES.map((path): [string, string[]] => [path, ['OPTIONS', 'POST']]),
  ])('%s has %s', async (path, has) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !has.includes(one))) {
      for (const base of ['', '/api']) {
        const answer = await api.get(base + path, { method });
        expectError(answer, 405, 'METHOD_NOT_ALLOWED', new RegExp(method));
        expect(methodsOf(answer.headers.get('allow'))).toEqual(has);
      }
    }
    const options = await api.get(path, { method: 'OPTIONS' });
    expect([options.status, options.text, methodsOf(options.headers.get('allow'))]).toEqual([204, '', has]);
  });
});

describe('a malformed request', () => {
  test.each(['/public/dataset/%zz', '/%', '/%e0%a4%a', '/public/%ff', '/public/dataset/%00', '/api/%c0%af'])(
    'the path %s is rejected',
    async (path) => {
      expectError(await api.get(path), 400, 'INVALID_REQUEST', /path/);
    },
  );

  test.each([
    ['a text that is not HTTP', 'hello\r\n\r\n'],
    ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    ['two lengths', 'POST /data/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    [
      'a length together with chunks',
      'POST /data/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers of 100 KB', `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('%s gets an error body', async (_, bytes) => {
    const { status, headers, body } = await rawHttp(api.url, bytes);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toEqual({
      success: false,
      code: 'INVALID_REQUEST',
      message: expect.any(String),
      requestId: headers.get('x-request-id'),
    });
  });
});

describe('a body', () => {
  const big = Buffer.alloc(11 * 1024 * 1024, ' ');
  const json = 'application/json';

  test.each(WRITES.filter((path) => !path.startsWith('/moderation')))('to %s has a maximum size', async (path) => {
    const answer = await api.post(path, big, { headers: { 'content-type': json } });
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE', /\d+ bytes/);
  });

  test('to an account endpoint is small', async () => {
    const answer = await api.post('/auth/login', { email: 'a@example.org', password: 'x'.repeat(200_000) });
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE');
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/problem+json',
    'application/jsonx',
    '',
  ])('of type "%s" is rejected', async (type) => {
    for (const path of ['/data/submit', '/auth/login']) {
      const body = JSON.stringify(smallSubmission());
      const answer = await api.post(path, Buffer.from(body), { headers: { 'content-type': type } });
      expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE', /application\/json/);
    }
  });

  test('without a type, or compressed, is rejected', async () => {
    const untyped = await api.post('/data/submit', Buffer.from(JSON.stringify(smallSubmission())));
    expectError(untyped, 415, 'UNSUPPORTED_MEDIA_TYPE', /application\/json/);
    const headers = { 'content-type': json, 'content-encoding': 'gzip' };
    expectError(await api.post('/data/submit', Buffer.from('x'), { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE', /gzip/);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json ;'])(
    'of type "%s" is read',
    async (type) => {
      const body = Buffer.from(JSON.stringify(smallSubmission()));
      expect((await api.post('/data/submit', body, { headers: { 'content-type': type } })).status).toBe(201);
    },
  );
});

describe('CORS', () => {
  const origin = 'https://page.example.org';

  test.each(READS)('pages of any origin can read %s', async (path) => {
    const { headers } = await api.get(path, { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    const exposed = (headers.get('access-control-expose-headers') ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase());
    for (const name of ['etag', 'link', 'location', 'content-disposition', 'retry-after', 'x-request-id']) {
      expect(exposed).toContain(name);
    }
  });

  test('errors of reads are readable too', async () => {
    for (const path of ['/nothing', '/public/dataset?limit=0', '/%zz']) {
      expect((await api.get(path, { headers: { origin } })).headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  test('a preflight request allows a read with a credential and a tag', async () => {
    const answer = await api.get('/data/my-records/ids', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,if-none-match',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toMatch(/authorization,\s*if-none-match/i);
  });

  test.each(WRITES)('pages of other origins cannot write to %s', async (path) => {
    const preflight = await api.get(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    const answer = await api.post(path, '{', { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
