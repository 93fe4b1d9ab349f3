import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { sharedStack } from '@esd/testing/shared-stack';
import { newContributor } from './support/accounts.ts';
import { login } from './support/admin.ts';
import { type Answer, apiAt } from './support/api.ts';
import { demoAdmin, demoContributor } from './support/demo-accounts.ts';
import { readDemo } from './support/demo.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { ids, submission } from './support/shapes.ts';
import { smallRecord, smallSubmission, anonymousSubmitter } from '@esd/testing/records';

const stack = await sharedStack();
const api = apiAt(stack.url);

/** Tests read the records of the demo, and submit as another contributor. */
let demoToken: string;
let token: string;
let adminToken: string;
beforeAll(async () => {
  demoToken = await login(api, demoContributor(stack.dataDir));
  ({ token } = await newContributor(api, stack.dataDir));
  adminToken = await login(api, demoAdmin(stack.dataDir));
});

const ownRecord = z.looseObject({
  recordId: z.int(),
  status: z.string(),
  missingFields: z.array(z.string()),
  revision: z.int(),
  publishedRevision: z.int().optional(),
});
const submissions = z.array(z.looseObject({ submissionId: z.int(), status: z.string(), recordCount: z.int() }));
const submitData = z.looseObject({ experimentData: z.array(ownRecord) });
const updated = z.looseObject({ message: z.string(), status: z.string() });

const get = (path: string, bearer = token): Promise<Answer> => api.get(path, { bearer });

describe('the response of a GET can be sent back unchanged', () => {
  test('each of the 809 records', async () => {
    const { records } = readDemo();
    expect(records).toHaveLength(809);
    for (let start = 1; start <= 809; start += 8) {
      const some = Array.from({ length: Math.min(8, 810 - start) }, (_, i) => start + i);
      await Promise.all(
        some.map(async (id) => {
          const read = await get(`/data/experiment/${id}`, demoToken);
          const tag = read.headers.get('etag') ?? '';
          expect([read.status, tag]).toEqual([200, `"${id}-1"`]);
          const headers = { 'if-match': tag };
          const answer = await api.put(`/data/update/${id}`, submitData.parse(read.json), {
            bearer: demoToken,
            headers,
          });
          expect([answer.status, answer.headers.get('etag')]).toEqual([200, tag]);
          expect(updated.parse(answer.json)).toMatchObject({ recordId: id, status: 'APPROVED', missingFields: [] });
          expect(updated.parse(answer.json).message).toMatch(/is unchanged/);
        }),
      );
    }
  });

  test('each of the submissions that contain them', async () => {
    const own = submissions
      .parse((await get('/data/my-submissions', demoToken)).json)
      .filter(({ status }) => status === 'APPROVED');
    expect(own.reduce((sum, { recordCount }) => sum + recordCount, 0)).toBe(809);
    for (const { submissionId, recordCount } of own) {
      const read = await get(`/data/submission/${submissionId}`, demoToken);
      const body = submitData.parse(read.json);
      expect([read.status, body['submissionId'], body.experimentData.length]).toEqual([200, submissionId, recordCount]);
      const answer = await api.put(`/data/update-submission/${submissionId}`, body, { bearer: demoToken });
      expect(answer.status).toBe(200);
      expect(submission.parse(answer.json).message).toMatch(/^0 of /);
    }
  });

  test('contains the submitted data', async () => {
    const { records } = readDemo();
    const read = z.array(ownRecord).parse((await get('/data/my-records?status=APPROVED', demoToken)).json);
    expect(read).toHaveLength(809);
    read.forEach(({ status, missingFields, revision, publishedRevision, ...data }, index) => {
      expect([status, missingFields, revision, publishedRevision]).toEqual(['APPROVED', [], 1, 1]);
      expect(data).toEqual(records[index]);
    });
  });
});

describe('lists of own data', () => {
  const lists = ['/data/my-records', '/data/my-records/ids', '/data/my-submissions', '/data/pending'];

  test.each([...lists, '/data/experiment/1', '/data/submission/1'])('%s is not cached', async (path) => {
    expect((await get(path)).headers.get('cache-control')).toBe('no-store');
  });

  test.each(lists)('%s has skip and limit', async (path) => {
    await api.post('/data/submit', { experimentData: [smallRecord, smallRecord] }, { bearer: token });
    const whole = z.array(z.unknown()).parse((await get(`${path}?limit=1000`)).json);
    expect(whole.length).toBeGreaterThan(1);
    expect((await get(`${path}?skip=1&limit=1`)).json).toEqual(whole.slice(1, 2));
    expect((await get(`${path}?skip=1000000`)).json).toEqual([]);
    for (const query of ['limit=0', 'limit=1001', 'skip=-1', 'limit=x', 'status=PUBLISHED', 'page=1']) {
      expectError(await get(`${path}?${query}`), 400, 'INVALID_PARAMETER');
    }
  });

  test('contain new submissions, by status', async () => {
    const made = submission.parse(
      (await api.post('/data/submit', { experimentData: [smallRecord] }, { bearer: token })).json,
    );
    const [{ recordId } = { recordId: 0 }] = made.records;
    const idsOf = async (path: string) =>
      z
        .array(ownRecord)
        .parse((await get(path)).json)
        .map((record) => record.recordId);
    expect(await idsOf('/data/pending')).toContain(recordId);
    expect(await idsOf('/data/my-records?status=PENDING')).toEqual(await idsOf('/data/pending'));
    expect(await idsOf('/data/my-records?status=REJECTED')).toEqual([]);
    const listed = submissions.parse((await get('/data/my-submissions')).json);
    expect(listed.find(({ submissionId }) => submissionId === made.submissionId)).toMatchObject({
      status: 'PENDING',
      counts: { PENDING: 1 },
      records: [{ recordId, status: 'PENDING', missingFields: [] }],
    });
    expectError(await get('/data/my-submissions?status=PENDING'), 400, 'INVALID_PARAMETER', /"status"/);
  });

  test('contain the sample id', async () => {
    const researchMetadata = { sampleId: 'PVA-07 b', remarks: 'Dried over night.' };
    const made = submission.parse(
      (await api.post('/data/submit', { experimentData: [{ ...smallRecord, researchMetadata }] }, { bearer: token }))
        .json,
    );
    const [{ recordId } = { recordId: 0 }] = made.records;
    expect(z.array(ownRecord).parse((await get('/data/my-records')).json)).toContainEqual(
      expect.objectContaining({ recordId, researchMetadata }),
    );
    const listed = submissions.parse((await get('/data/my-submissions')).json);
    expect(listed.find(({ submissionId }) => submissionId === made.submissionId)).toMatchObject({
      records: [{ recordId, sampleId: 'PVA-07 b' }],
    });
  });

  test('a record or submission of another account is not found, even by an admin', async () => {
    const anonymous = submission.parse((await api.post('/data/submit', smallSubmission())).json);
    const foreign = anonymous.records[0]?.recordId ?? 0;
    const cases: [string, number, string][] = [
      [token, foreign, 'of an anonymous submitter'],
      [adminToken, 1, 'of the contributor'],
      [token, 999_999_999, 'that does not exist'],
    ];
    for (const [bearer, id] of cases) {
      expectError(await get(`/data/experiment/${id}`, bearer), 404, 'RECORD_NOT_FOUND');
      const body = { experimentData: [smallRecord] };
      expectError(await api.put(`/data/update/${id}`, body, { bearer }), 404, 'RECORD_NOT_FOUND');
    }
    for (const [bearer, id] of [
      [token, anonymous.submissionId],
      [adminToken, 1],
    ] as const) {
      expectError(await get(`/data/submission/${id}`, bearer), 404, 'SUBMISSION_NOT_FOUND');
      const body = { experimentData: [smallRecord] };
      expectError(await api.put(`/data/update-submission/${id}`, body, { bearer }), 404, 'SUBMISSION_NOT_FOUND');
    }
    expect(ids.parse((await get('/data/my-records/ids', adminToken)).json)).not.toContain(1);
    for (const id of ['0', 'x', '1.5']) expectError(await get(`/data/experiment/${id}`), 400, 'INVALID_PARAMETER');
  });
});

describe('POST /data/submit?validate=only', () => {
  const count = async () => ids.parse((await get('/data/my-records/ids')).json).length;

  test('returns the result of a submission and stores nothing', async () => {
    const before = await count();
    const answer = await api.post('/data/submit?validate=only', { experimentData: [smallRecord] }, { bearer: token });
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    expect(answer.json).toEqual({
      message: '1 record is valid; nothing was stored.',
      valid: true,
      records: [{ status: 'PENDING', missingFields: [], warnings: [] }],
    });
    expectError(await api.post('/data/submit?validate=yes', {}, { bearer: token }), 400, 'INVALID_PARAMETER', /only/);
    expect(await count()).toBe(before);
  });

  test('warns of unusual values, and of records that the dataset already contains', async () => {
    const [known = {}] = readDemo().records;
    const unusual = { ...smallRecord, processParameter: { voltage: 12_000, voltageUnit: 'kV' } };
    const { recordId: _, experimentId: __, ...copy } = known;
    const ask = () =>
      api.post('/data/submit?validate=only', {
        userMetadata: anonymousSubmitter,
        experimentData: [unusual, copy, smallRecord],
      });
    const answer = await eventually(ask, ({ text }) => text.includes('UNUSUAL_VALUE'));
    expect(answer.json).toMatchObject({
      records: [
        {
          warnings: [
            {
              path: 'processParameter.voltage',
              code: 'UNUSUAL_VALUE',
              message: expect.stringMatching(
                /^The value 12000 kV is unusual: 99\.8 % of the \d+ values in the dataset lie between .* kV\.$/,
              ),
            },
          ],
        },
        {
          warnings: [
            { code: 'LIKELY_DUPLICATE', severity: 'high', message: expect.stringContaining('record 1 of the dataset') },
          ],
        },
        { warnings: [] },
      ],
    });
  });
});

describe('Idempotency-Key', () => {
  const send = (key: string, body: object, bearer?: string) =>
    api.post('/data/submit', body, {
      headers: { 'idempotency-key': key },
      ...(bearer === undefined ? {} : { bearer }),
    });

  test('the same key and body return the first response, another body is rejected', async () => {
    for (const bearer of [token, undefined]) {
      const key = crypto.randomUUID();
      const first = await send(key, smallSubmission(), bearer);
      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
      const second = await send(key, smallSubmission(), bearer);
      expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(second.text).toBe(first.text);
      expect(second.headers.get('location')).toBe(first.headers.get('location'));
      expectError(await send(key, smallSubmission(2), bearer), 409, 'CONFLICT', /Idempotency-Key/);
    }
  });
});
