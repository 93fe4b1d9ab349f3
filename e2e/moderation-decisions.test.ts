import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { newAdmin } from './support/admin.ts';
import { query } from './support/database.ts';
import { freezeRelease, readAll, submitRecords, untilPublic } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { fullRecord, fullRecordRead } from './support/full-record.ts';
import { bulkReview, reviewedRecord, undoneDecision } from './support/shapes.ts';
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

describe('POST /moderation/decisions/{id}/undo', () => {
  const undo = (id: number): Promise<Answer> => api.post(`/moderation/decisions/${id}/undo`, {}, { bearer: token });
  const decide = async (ids: number[]) => bulkReview.parse((await approveMany({ recordIds: ids })).json).decision;
  const decisions = async () => {
    const { json } = await api.get('/moderation/decisions?limit=1', { bearer: token });
    return z.object({ data: z.array(z.unknown()), total: z.int() }).parse(json);
  };

  test('takes published records out of the dataset, returns them to the queue, and sends no mail', async () => {
    const ids = await submitOwn(2);
    const { total } = await decisions();
    const { id, undoUntil } = await decide(ids);
    const records = ids.map((recordId) => expect.objectContaining({ recordId, revision: 1 }));
    const entry = { id, action: 'approve', records };
    expect(await decisions()).toMatchObject({ data: [{ ...entry, undoUntil }], total: total + 1 });
    await untilPublic(api, ids);
    const response = await undo(id);
    expect(undoneDecision.parse(response.json).records).toEqual(
      ids.map((recordId) => ({ recordId, status: 'PENDING', revision: 3 })),
    );
    for (const recordId of ids) {
      const path = `/public/dataset/records/${recordId}`;
      const withdrawn = await eventually(
        () => api.get(path),
        ({ status }) => status === 410,
      );
      expect(withdrawn.text).toContain('approved by mistake');
    }
    const undone = { ...entry, undoUntil: null, undoneAt: expect.any(String) };
    expect(await decisions()).toMatchObject({ data: [undone], total: total + 1 });
    const mails = 'select from outbox join decision on outbox.id = any(reviewed_event_ids) where decision.id = $1';
    expect(await query(stack.databaseUrl('esd_submission'), mails, [id])).toEqual([]);
    expectError(await undo(id), 409, 'CONFLICT');
    // A later approval publishes them again.
    expect((await approveMany({ recordIds: ids })).status).toBe(200);
    await untilPublic(api, ids);
  });

  test('is refused with the records that changed, for an unknown decision, and after a freeze', async () => {
    const [changed = 0, unchanged = 0] = await submitOwn(2);
    const first = await decide([changed, unchanged]);
    const reason = { reason: 'No.' };
    await api.post(`/moderation/records/${changed}/withdraw`, reason, { bearer: token });
    const { errors } = expectError(await undo(first.id), 409, 'CONFLICT');
    expect(errors).toEqual([expect.objectContaining({ recordId: changed, status: 'REJECTED', revision: 2 })]);
    expectError(await undo(999_999_999), 404, 'DECISION_NOT_FOUND');

    const frozen = await submitOwn();
    const second = await decide(frozen);
    await untilPublic(api, frozen);
    const versionIdentifier = `v8.0.${randomInt(1_000_000)}`;
    await freezeRelease(api, { versionIdentifier }, token);
    expectError(await undo(second.id), 409, 'CONFLICT', new RegExp(versionIdentifier));
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
    const page = await (await fetch(`${stack.url}/record/${id}`, { headers: { accept: 'text/html' } })).text();
    expect(page).toContain(read.researchMetadata.remarks);
    expect(page).not.toContain(researchMetadata.sampleId);
  });
});
