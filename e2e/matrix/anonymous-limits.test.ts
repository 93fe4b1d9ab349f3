import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from '../support/accounts.ts';
import { login, newAdmin } from '../support/admin.ts';
import { type Answer, type Api, apiAt } from '../support/api.ts';
import { expectError } from '../support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { feedbackWithImage } from '../support/feedback.ts';
import { bulkReview, submission } from '../support/shapes.ts';
import { smallSubmission, anonymousSubmitter } from '@esd/testing/records';
import { newAddress } from '../support/new-address.ts';

const REASON = 'Not an experiment.';

let stack: TestStack;
let api: Api;
let admin: string;
let moderator: string;
let user: string;
beforeAll(async () => {
  stack = await leaseStack('limited');
  api = apiAt(stack.url);
  const first = await newAdmin(stack, api);
  admin = first.token;
  moderator = await login(api, (await addAccount(stack, first.who, newAddress('moderator'), 'MODERATOR')).who);
  user = await login(api, (await addAccount(stack, first.who, newAddress('user'))).who);
});
afterAll(() => stack.stop());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const submitFrom = (address: string, records: number, userMetadata: object = {}): Promise<Answer> =>
  api.post(
    '/data/submit',
    { ...smallSubmission(records), userMetadata: { ...anonymousSubmitter, ...userMetadata } },
    from(address),
  );
const queue = z.object({
  data: z.array(z.looseObject({ recordId: z.int(), origin: z.string().optional() })),
  total: z.int(),
});
const readQueue = async (query = '') =>
  queue.parse((await api.get(`/moderation/queue?limit=1000${query}`, { bearer: moderator })).json);
const reject = (body: object, bearer = moderator): Promise<Answer> => api.post('/moderation/reject', body, { bearer });

describe('a network that submits without an account', () => {
  test('can have 500 records in the queue, while other networks can submit; one decision rejects them all', async () => {
    const before = new Set((await readQueue()).data.map(({ recordId }) => recordId));
    const waitingSince = async () => (await readQueue()).data.filter(({ recordId }) => !before.has(recordId));
    // Many addresses send bodies with many records simultaneously.
    const flood = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        for (;;) {
          const answer = await submitFrom(`203.0.113.${index}`, index < 2 ? 60 : 50);
          // A busy machine may return 503.
          if (answer.status !== 503) return answer;
        }
      }),
    );
    for (const answer of flood.slice(0, 2)) expectError(answer, 413, 'PAYLOAD_TOO_LARGE', /token/);
    const refused = flood.filter(({ status }) => status === 429);
    expect(flood.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(refused).toHaveLength(12);
    for (const answer of refused) {
      expectError(answer, 429, 'RATE_LIMITED');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expectError(await submitFrom('203.0.113.200', 1), 429, 'RATE_LIMITED', /500 anonymous records .* awaiting review/);
    const elsewhere = submission.parse((await submitFrom('203.0.114.1', 1)).json).records[0]?.recordId ?? 0;
    const signedIn = await api.post('/data/submit', smallSubmission(), { ...from('203.0.113.1'), bearer: user });
    expect(signedIn.status).toBe(201);
    const own = submission.parse(signedIn.json).records[0]?.recordId ?? 0;

    const all = await waitingSince();
    expect(all).toHaveLength(502);
    const origins = Map.groupBy(all, ({ origin }) => origin);
    expect(origins.get(undefined)?.map(({ recordId }) => recordId)).toEqual([own]);
    const [origin = ''] = [...origins].find(([, entries]) => entries.length === 500) ?? [];
    const ofNetwork = await readQueue(`&origin=${origin}`);
    expect(ofNetwork.total).toBe(500);
    expect(JSON.stringify(all)).not.toContain('203.0.113');

    expectError(await reject({ origin, reason: REASON }, user), 403, 'FORBIDDEN');
    const answer = await reject({ origin, reason: REASON });
    const { message, records } = bulkReview.parse(answer.json);
    expect([message, records.length]).toEqual(['500 records rejected.', 500]);
    const left = await waitingSince();
    expect(left.map(({ recordId }) => recordId)).toEqual([elsewhere, own]);
    const view = await api.get(`/moderation/records/${records[0]?.recordId ?? 0}`, { bearer: moderator });
    expect(view.json).toMatchObject({ status: 'REJECTED', history: [{}, { action: 'reject', reason: REASON }] });
    expect(view.json).not.toHaveProperty('origin');
    expectError(await reject({ origin, reason: REASON }), 404, 'RECORD_NOT_FOUND');
    expect((await submitFrom('203.0.113.7', 50)).status).toBe(201);
  });

  test('has its records rejected by id too, all or none', async () => {
    const { records } = submission.parse((await submitFrom('198.51.100.1', 3)).json);
    const [one = 0, two = 0, three = 0] = records.map(({ recordId }) => recordId);
    await reject({ recordIds: [one], reason: REASON });
    const answer = await reject({ recordIds: [one, two, three], reason: REASON });
    const { errors } = expectError(answer, 409, 'CONFLICT');
    expect(errors).toEqual([expect.objectContaining({ path: 'recordIds[0]', recordId: one, status: 'REJECTED' })]);
    expect(bulkReview.parse((await reject({ recordIds: [two, three], reason: REASON })).json).records).toHaveLength(2);
  });
});

test('feedback: a network has its daily limit, and other networks are unaffected', async () => {
  const send = (address: string, bearer?: string) =>
    api.post('/feedback/submit', feedbackWithImage, { ...from(address), ...(bearer === undefined ? {} : { bearer }) });
  for (let index = 0; index < 50; index += 1) expect((await send(`192.0.2.${index}`)).status).toBe(201);
  const refused = await send('192.0.2.99');
  expectError(refused, 429, 'RATE_LIMITED', /24 hours/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
  expect((await send('192.0.3.1')).status).toBe(201);
  expect((await send('192.0.2.99', user)).status).toBe(201);
});

test('an administrator erases the submitter of a submission: no list and no view shows them', async () => {
  const userMetadata = { name: 'Zoë Müller', email: 'zoe@lab.example', showPublicly: true };
  const { submissionId, records } = submission.parse((await submitFrom('198.51.100.9', 1, userMetadata)).json);
  const recordId = records[0]?.recordId ?? 0;
  expect((await api.post('/moderation/approve', { recordIds: [recordId] }, { bearer: moderator })).status).toBe(200);
  const contributors = async () => (await api.get('/contributors/list')).text;
  await eventually(contributors, (text) => text.includes('Müller'));
  const path = `/admin/submissions/${submissionId}/submitter`;
  expectError(await api.delete(path), 401, 'AUTH_REQUIRED');
  expectError(await api.delete(path, { bearer: moderator }), 403, 'FORBIDDEN');
  const answer = await api.delete(path, { bearer: admin });
  expect([answer.status, answer.json]).toEqual([200, { success: true, message: expect.stringContaining('is erased') }]);
  await eventually(contributors, (text) => !text.includes('Müller'));
  const view = await api.get(`/moderation/records/${recordId}`, { bearer: moderator });
  expect(view.text).not.toMatch(/Müller|zoe@/);
  expect(view.json).toMatchObject({ status: 'APPROVED', history: [{}, {}, { action: 'erase_submitter' }] });
  expect((await readQueue('&status=APPROVED&submitter=zoe')).total).toBe(0);
  expect((await api.delete(path, { bearer: admin })).json).toMatchObject({
    message: expect.stringContaining('already erased'),
  });
  expectError(await api.delete('/admin/submissions/999999/submitter', { bearer: admin }), 404, 'SUBMISSION_NOT_FOUND');
});
