import { afterEach, describe, expect, test } from '@jest/globals';
import { type ResolveBearerRequest, Role } from '@esd/proto/esd/identity/v1/identity';
import {
  type ApproveRecordsRequest,
  type ApproveRecordsResponse,
  RecordStatus,
} from '@esd/proto/esd/submission/v1/submission';
import { ServiceError } from '@esd/service/errors';
import {
  ACCOUNT,
  closeAll,
  freePort,
  get,
  post,
  resolvedAdmin,
  startUpstream,
  startGateway,
} from './upstream-servers.ts';

afterEach(closeAll);

const bearer = { authorization: 'Bearer good' };
const identity = {
  resolveBearer: (request: ResolveBearerRequest) => {
    const { bearer } = request;
    if (bearer === 'good') return Promise.resolve(resolvedAdmin(request));
    return Promise.reject(new ServiceError(bearer === 'old' ? 'TOKEN_EXPIRED' : 'TOKEN_INVALID', `no: ${bearer}`));
  },
};

async function startSubmission() {
  const received: { body: Buffer; caller: string | undefined; milliseconds: number }[] = [];
  const { port } = await startUpstream({
    identity,
    submission: {
      submit: ({ submissionJson }, { caller, deadline }) => {
        received.push({ body: submissionJson, caller: caller?.accountId, milliseconds: deadline - Date.now() });
        const text = submissionJson.toString();
        if (text.includes('wrong')) {
          const problems = [{ path: 'experimentData[0].x', code: 'UNKNOWN_MEMBER', message: 'x' }];
          const detailsJson = JSON.stringify({ errors: problems, errorCount: 1_200 });
          const refusal = { code: 'VALIDATION_FAILED', message: 'no', detailsJson };
          return Promise.resolve({ outcome: { $case: 'refusal', value: refusal } });
        }
        if (text.includes('missing')) {
          const detailsJson = JSON.stringify({ missingFields: ['polymerProperty'] });
          const refusal = { code: 'MISSING_FIELDS', message: 'no', detailsJson };
          return Promise.resolve({ outcome: { $case: 'refusal', value: refusal } });
        }
        const record = { recordId: 5, status: RecordStatus.RECORD_STATUS_PENDING, missingFields: [], warnings: [] };
        return Promise.resolve({
          outcome: {
            $case: 'stored',
            value: { message: 'stored', submissionId: 9, records: [record], replayed: false },
          },
        });
      },
      listOwnRecordIds: ({ status }) => Promise.resolve({ recordIds: [status, 2, 3] }),
    },
  });
  return { url: (await startGateway({ ports: [port] })).url, received };
}

describe('POST /data/submit', () => {
  test('forwards the body unchanged and returns the stored records', async () => {
    const { url, received } = await startSubmission();
    const body = Buffer.from(' {"x" : 1.50, "é": "\\u00e9" } ');
    const answer = await post(`${url}/data/submit`, body);
    expect(answer.status).toBe(201);
    expect(answer.json()).toEqual({
      message: 'stored',
      submissionId: 9,
      records: [{ recordId: 5, status: 'PENDING', missingFields: [], warnings: [] }],
    });
    expect(answer.headers.get('location')).toBe('/data/submission/9');
    expect(received).toEqual([{ body, caller: undefined, milliseconds: expect.any(Number) }]);
    expect(received[0]?.milliseconds).toBeGreaterThan(25_000);
    expect((await post(`${url}/api/data/submit`, '{}')).headers.get('location')).toBe('/api/data/submission/9');
  });

  test('returns all problems, or all missing fields', async () => {
    const { url } = await startSubmission();
    const wrong = await post(`${url}/data/submit`, '{"wrong":1}');
    expect(wrong.status).toBe(400);
    expect(wrong.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'experimentData[0].x', code: 'UNKNOWN_MEMBER', message: 'x' }],
      errorCount: 1_200,
    });
    const missing = (await post(`${url}/data/submit`, '{"missing":1}')).json();
    expect(missing).toMatchObject({ code: 'MISSING_FIELDS', missingFields: ['polymerProperty'] });
    expect(missing).not.toHaveProperty('errors');
  });

  test('is anonymous without a credential, and rejects an invalid one', async () => {
    const { url, received } = await startSubmission();
    await post(`${url}/data/submit`, '{}', bearer);
    expect(received[0]?.caller).toBe(ACCOUNT);
    for (const [authorization, code] of [
      ['Bearer bad', 'TOKEN_INVALID'],
      ['Bearer old', 'TOKEN_EXPIRED'],
      ['Bearer', 'TOKEN_INVALID'],
      ['Basic good', 'TOKEN_INVALID'],
      ['Bearer good good', 'TOKEN_INVALID'],
      ['good', 'TOKEN_INVALID'],
    ] as const) {
      const answer = await post(`${url}/data/submit`, '{}', { authorization });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.json()).toMatchObject({ success: false, code });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
    expect(received).toHaveLength(1);
  });

  const nested = (depth: number) => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);
  const json = { 'content-type': 'application/json' };
  test.each<[string, string | Buffer, Record<string, string>, number, string]>([
    ['11 MB', Buffer.alloc(11 * 1024 * 1024, ' '), json, 413, 'PAYLOAD_TOO_LARGE'],
    ['21 levels', nested(21), json, 400, 'INVALID_REQUEST'],
    ['truncated JSON', '{"a":[1,2', json, 400, 'INVALID_REQUEST'],
    ['an empty body', '', json, 400, 'INVALID_REQUEST'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), json, 400, 'INVALID_REQUEST'],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'another character set',
      '{}',
      { 'content-type': 'application/json; charset=latin1' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a compressed body', '{}', { ...json, 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s is rejected before it is forwarded', async (_, body, headers, status, code) => {
    const { url, received } = await startSubmission();
    const answer = await post(`${url}/data/submit`, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ success: false, code });
    expect(received).toEqual([]);
  });

  test('11 MB without Content-Length is rejected, and 20 levels and 10 MB are accepted', async () => {
    const { url, received } = await startSubmission();
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const body = new ReadableStream({
      start: (stream) => {
        for (let megabyte = 0; megabyte < 11; megabyte++) stream.enqueue(chunk);
        stream.close();
      },
    });
    const streamed = { method: 'POST', headers: json, body, duplex: 'half' } satisfies RequestInit & { duplex: 'half' };
    expect((await get(`${url}/data/submit`, streamed)).status).toBe(413);
    expect(received).toEqual([]);
    const charset = { 'content-type': 'Application/JSON;charset="UTF-8"' };
    expect((await post(`${url}/data/submit`, nested(20), charset)).status).toBe(201);
    expect((await post(`${url}/data/submit`, Buffer.alloc(10 * 1024 * 1024, ' '))).status).toBe(201);
  });
});

describe('GET /data', () => {
  test('returns the statuses to anyone and ignores a credential', async () => {
    const { url } = await startGateway({ ports: [await freePort()] });
    const answer = await get(`${url}/data/statuses`, { headers: { authorization: 'Bearer bad' } });
    expect(answer.json()).toEqual(['PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE']);
  });

  test("requires a credential for the caller's ids, and filters them by status", async () => {
    const { url } = await startSubmission();
    const path = `${url}/data/my-records/ids`;
    const none = await get(path);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(none.json()).toMatchObject({ code: 'AUTH_REQUIRED' });
    expect((await get(path, { headers: bearer })).json()).toEqual([0, 2, 3]);
    expect((await get(`${path}?status=REJECTED`, { headers: bearer })).json()).toEqual([3, 2, 3]);
    const wrong = await get(`${path}?status=pending`, { headers: bearer });
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringMatching(/`status` must be PENDING, .* or NEEDS_UPDATE, got \\"pending\\"\./),
    ]);
  });
});

describe('/auth', () => {
  const account = {
    id: ACCOUNT,
    email: 'a@b.example',
    role: Role.ROLE_ADMIN,
    enabled: true,
    emailVerified: true,
    createdAt: new Date('2026-01-02T03:04:05Z'),
    name: 'A',
  };
  const session = { token: 't', refreshToken: 'r', email: account.email, role: Role.ROLE_USER, expiresInMs: 900_000 };
  const requests: unknown[] = [];

  async function startIdentity() {
    requests.length = 0;
    const { port } = await startUpstream({
      identity: {
        ...identity,
        createFirstAdmin: (request) => {
          requests.push(request);
          return Promise.resolve({ account });
        },
        login: (request) => {
          requests.push(request);
          if (request.password !== 'right') return Promise.reject(new ServiceError('BAD_CREDENTIALS', 'no'));
          return Promise.resolve({ session });
        },
        refresh: (request) => {
          requests.push(request);
          return Promise.resolve({ session });
        },
        getOwnAccount: (_request, { caller }) =>
          Promise.resolve({ account: { ...account, id: caller?.accountId ?? '' } }),
      },
    });
    return startGateway({ ports: [port] });
  }

  test('sign-in, refresh and the creation of the first admin return the documented bodies', async () => {
    const { url } = await startIdentity();
    const shape = { token: 't', refreshToken: 'r', email: 'a@b.example', role: 'USER', expiresIn: 900_000 };
    const login = await post(
      `${url}/auth/login`,
      { email: 'a@b.example', password: 'right', rememberMe: true },
      { authorization: 'Bearer bad' },
    );
    expect([login.status, login.json(), login.headers.get('cache-control')]).toEqual([200, shape, 'no-store']);
    expect((await post(`${url}/auth/refresh`, { refreshToken: 'r' })).json()).toEqual(shape);
    const body = { email: 'a@b.example', password: 'p', name: 'A' };
    const created = await post(`${url}/auth/admin/create`, body, { 'x-bootstrap-token': 'boot' });
    expect([created.status, created.json()]).toEqual([
      201,
      { email: 'a@b.example', emailVerified: true, role: 'ADMIN', createdAt: '2026-01-02T03:04:05.000Z', name: 'A' },
    ]);
    expect(requests).toEqual([
      { email: 'a@b.example', password: 'right', rememberMe: true, otp: undefined, userAgent: 'node' },
      { refreshToken: 'r' },
      { ...body, bootstrapToken: 'boot' },
    ]);
  });

  test('reports a wrong password by its code and never logs it', async () => {
    const { url, log } = await startIdentity();
    const answer = await post(`${url}/auth/login`, { email: 'a@b.example', password: 'hunter2' });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(answer.json()).toMatchObject({ code: 'BAD_CREDENTIALS' });
    expect(log.join('')).not.toContain('hunter2');
  });

  test('lists all problems of a body', async () => {
    const { url } = await startIdentity();
    const answer = await post(`${url}/auth/login`, { emial: 'x', password: 5, rememberMe: 'yes' });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      errorCount: 4,
      errors: expect.arrayContaining([
        { path: 'email', code: 'MISSING_VALUE', message: '`email` is missing; it must be a string.' },
        { path: 'password', code: 'WRONG_TYPE', message: expect.any(String) },
        { path: 'rememberMe', code: 'WRONG_TYPE', message: expect.any(String) },
        { path: 'emial', code: 'UNKNOWN_MEMBER', message: 'Unknown member "emial"; nearest: "email".' },
      ]),
    });
    expect(requests).toEqual([]);
    const credentials = { email: 'a@b.example', password: 'p' };
    for (const body of [
      '{',
      'null',
      '[]',
      '"x"',
      '{}',
      { ...credentials, password: '' },
      { ...credentials, password: 'x'.repeat(1_001) },
      { ...credentials, otp: 7 },
    ]) {
      expect([body, (await post(`${url}/auth/login`, body)).status]).toEqual([body, 400]);
    }
    expect((await post(`${url}/auth/login`, { email: 'x'.repeat(200_000), password: 'p' })).status).toBe(413);
  });

  test('me and profile return the account of the caller', async () => {
    const { url } = await startIdentity();
    const me = await get(`${url}/auth/me`, { headers: { authorization: 'bearer good' } });
    expect(me.json()).toEqual({ email: 'a@b.example', role: 'ADMIN', enabled: true });
    expect((await get(`${url}/auth/profile`, { headers: bearer })).json()).toEqual({
      email: 'a@b.example',
      emailVerified: true,
      role: 'ADMIN',
      createdAt: '2026-01-02T03:04:05.000Z',
      name: 'A',
    });
    expect((await get(`${url}/auth/me`)).status).toBe(401);
  });
});

describe('POST /moderation', () => {
  const requests: ApproveRecordsRequest[] = [];
  const ok = (request: ApproveRecordsRequest): ApproveRecordsResponse => ({
    outcome: {
      $case: 'reviewed',
      value: {
        records: request.records.map(({ recordId, revision = 1 }) => ({
          recordId,
          status: RecordStatus.RECORD_STATUS_APPROVED,
          revision,
          entityTag: `${recordId}-${revision}`,
        })),
        decision: request.bulk ? { id: 4, undoUntil: new Date('2026-01-02') } : undefined,
      },
    },
  });

  async function startModeration(answer: (request: ApproveRecordsRequest) => ApproveRecordsResponse = ok) {
    requests.length = 0;
    const { port } = await startUpstream({
      identity,
      moderation: {
        approveRecords: (request) => {
          requests.push(request);
          return Promise.resolve(answer(request));
        },
      },
    });
    const { url } = await startGateway({ ports: [port] });
    return (path: string, body: unknown, headers = {}) => post(url + path, body, { ...bearer, ...headers });
  }

  test('decides one record at the revision of If-Match or the body, by default the newest', async () => {
    const approve = await startModeration();
    const one = '/moderation/records/17/approve';
    const answer = await approve(one, { revision: 2 }, { 'if-match': '"17-2"' });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ recordId: 17, status: 'APPROVED', revision: 2 });
    expect(answer.headers.get('etag')).toBe('"17-2"');
    await approve(one, { revision: 3 });
    await approve(one, {}, { 'if-match': 'W/"17-4", "17-5"' });
    await approve(one, '', { 'if-match': '*' });
    await approve(one, {});
    expect(requests.map(({ records }) => [records[0]?.revision, records[0]?.entityTags])).toEqual([
      [2, ['17-2']],
      [3, []],
      [undefined, ['17-4', '17-5']],
      [undefined, []],
      [undefined, []],
    ]);
    for (const [body, headers] of [
      ['', { 'if-match': '17-2' }],
      ['', { 'if-match': '' }],
      [{ revision: 0 }, {}],
      [{ revison: 2 }, {}],
    ] as const) {
      expect([body, headers, (await approve(one, body, headers)).status]).toEqual([body, headers, 400]);
    }
    expect((await approve('/moderation/records/x/approve', {})).json()).toMatchObject({ code: 'INVALID_PARAMETER' });
    expect(requests).toHaveLength(5);
  });

  test('decides many records', async () => {
    const approve = await startModeration();
    const answer = await approve('/moderation/approve', { recordIds: [5, 3], revisions: [2, 1] });
    expect(answer.json()).toEqual({
      success: true,
      message: '2 records approved.',
      records: [
        { recordId: 5, status: 'APPROVED', revision: 2 },
        { recordId: 3, status: 'APPROVED', revision: 1 },
      ],
      decision: { id: 4, undoUntil: '2026-01-02T00:00:00.000Z' },
    });
    expect(requests[0]?.records).toEqual([
      { recordId: 5, revision: 2, entityTags: [] },
      { recordId: 3, revision: 1, entityTags: [] },
    ]);
    const thousand = Array.from({ length: 1_000 }, (_, index) => index + 1);
    expect((await approve('/moderation/approve', { recordIds: thousand })).status).toBe(200);
    for (const body of [
      {},
      { recordIds: [] },
      { recordIds: [...thousand, 1_001] },
      { recordIds: [1, 1] },
      { recordIds: [0] },
      { recordIds: ['1'] },
      { recordIds: [1.5] },
      { recordIds: [1, 2], revisions: [1] },
    ]) {
      expect([body, (await approve('/moderation/approve', body)).status]).toEqual([body, 400]);
    }
    expect(requests).toHaveLength(2);
  });

  test('returns 409 with the records that cannot be decided', async () => {
    const errors = [
      { path: 'recordIds[1]', code: 'CONFLICT', message: 'is APPROVED', recordId: 3, status: 'APPROVED' },
      { path: 'recordIds[2]', code: 'RECORD_NOT_FOUND', message: 'none', recordId: 9 },
    ];
    const detailsJson = JSON.stringify({ errors, errorCount: 2 });
    const value = { code: 'CONFLICT', message: 'why', detailsJson };
    const approve = await startModeration(() => ({ outcome: { $case: 'refusal', value } }));
    const answer = await approve('/moderation/approve', { recordIds: [5, 3, 9] });
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'CONFLICT', message: 'why', errorCount: 2, errors });
  });
});
