import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { newAdmin } from './support/admin.ts';
import { query } from './support/database.ts';
import { readAll, submitRecords, untilPublic } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from './support/eventually.ts';
import { fullRecord, fullRecordRead } from './support/full-record.ts';
import { bulkReview, reviewedRecord } from './support/shapes.ts';
import { smallSubmission, anonymousSubmitter } from '@esd/testing/records';

let stack: TestStack;
let api: Api;
let adminId: string;
let token: string;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  ({ id: adminId, token } = await newAdmin(stack, api));
});
afterAll(() => stack.stop());

const approve = (id: number, base = ''): Promise<Answer> =>
  api.post(`${base}/moderation/records/${id}/approve`, '', { bearer: token });
const approveMany = (body: object): Promise<Answer> => api.post('/moderation/approve', body, { bearer: token });
const submitOwn = (count = 1) => submitRecords(api, smallSubmission(count), token);

describe('POST /moderation/records/{id}/approve', () => {
  test('publishes the record', async () => {
    for (const base of ['', '/api']) {
      const tag = (await api.get('/public/dataset')).headers.get('etag') ?? '';
      const [id = 0] = await submitOwn();
      const answer = await approve(id, base);
      expect(answer.status).toBe(200);
      expect(reviewedRecord.parse(answer.json)).toEqual({ recordId: id, status: 'APPROVED', revision: 1 });
      expect(answer.headers.get('etag')).toBe(`"${id}-1"`);
      await untilPublic(api, [id]);
      const newer = await api.get('/public/dataset', { headers: { 'if-none-match': tag } });
      expect([newer.status, newer.headers.get('etag') === tag]).toEqual([200, false]);
    }
  });
});

describe('POST /moderation/approve', () => {
  test('publishes many records in one dataset revision', async () => {
    const made = await submitOwn(30);
    const answer = await approveMany({ recordIds: made, revisions: made.map(() => 1) });
    expect(answer.status).toBe(200);
    expect(bulkReview.parse(answer.json).records).toEqual(
      made.map((recordId) => ({ recordId, status: 'APPROVED', revision: 1 })),
    );
    await untilPublic(api, made);
  });
});

describe('a role', () => {
  const setRole = (role: string) =>
    query(stack.databaseUrl('esd_identity'), 'update account set role = $1 where id = $2', [role, adminId]);
  afterAll(() => setRole('ADMIN'));

  test('takes effect with the next request: a USER cannot review, and a MODERATOR cannot review their own records', async () => {
    const [own = 0] = await submitOwn();
    const [others = 0, further = 0] = await submitRecords(api, smallSubmission(2));

    await setRole('USER');
    expectError(await approve(own), 403, 'FORBIDDEN');
    expectError(await approve(others), 403, 'FORBIDDEN');
    expectError(await approveMany({ recordIds: [others] }), 403, 'FORBIDDEN');

    await setRole('MODERATOR');
    expectError(await approve(own), 403, 'FORBIDDEN', /own/);
    expect((await approve(others)).status).toBe(200);
    const { errors } = expectError(await approveMany({ recordIds: [further, own] }), 409, 'CONFLICT');
    expect(errors).toEqual([expect.objectContaining({ path: 'recordIds[1]', code: 'FORBIDDEN', recordId: own })]);

    await setRole('ADMIN');
    expect((await approve(own)).status).toBe(200);
    expect((await approve(further)).status).toBe(200);
  });
});

describe('the returned form of a record', () => {
  test('has every field of the catalog, with names and units in the spelling of the lists', async () => {
    const { researchMetadata, ...item } = fullRecord;
    const [id = 0] = await submitRecords(api, {
      userMetadata: anonymousSubmitter,
      researchMetadata,
      experimentData: [item],
    });
    expect((await approve(id)).status).toBe(200);
    const read = { recordId: id, experimentId: id, ...fullRecordRead };
    const all = await eventually(
      () => readAll(api),
      (records) => records.some(({ recordId }) => recordId === id),
    );
    expect(all.find(({ recordId }) => recordId === id)).toEqual(read);
    // Its members have the order of the catalog, free members the order of their names.
    expect((await api.get('/public/dataset?limit=1000')).text).toContain(JSON.stringify(read));
  });
});
