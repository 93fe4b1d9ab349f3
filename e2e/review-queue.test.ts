import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { submitRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { linkTargets } from './support/link-header.ts';
import { mailSaying, mailsTo, sendDelayedMails } from './support/mail.ts';
import { bulkReview, reviewedRecord } from './support/shapes.ts';
import { recordAt, smallRecord, smallSubmission, anonymousSubmitter } from '@esd/testing/records';
import { newAddress } from './support/new-address.ts';

const REASON = 'The voltage is not the one of the paper.';
const CONTRIBUTOR = newAddress('contributor');

let stack: TestStack;
let api: Api;
let admin: string;
let moderator: string;
let user: string;
let userId: string;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  const first = await newAdmin(stack, api);
  admin = first.token;
  moderator = await login(api, (await addAccount(stack, first.who, newAddress('moderator'), 'MODERATOR')).who);
  const contributor = await addAccount(stack, first.who, CONTRIBUTOR);
  [user, userId] = [await login(api, contributor.who), contributor.id];
});
afterAll(() => stack.stop());

const queue = z.looseObject({
  data: z.array(z.looseObject({ recordId: z.int(), waitingSince: z.string() })),
  total: z.int(),
  skip: z.int(),
  limit: z.int(),
});
const view = z.looseObject({
  revision: z.int(),
  status: z.string(),
  submissionId: z.int(),
  publishedRevision: z.int().optional(),
  submitter: z.unknown(),
  record: z.looseObject({}),
  history: z.array(
    z.looseObject({
      action: z.string(),
      revision: z.int(),
      accountId: z.string().optional(),
      reason: z.string().optional(),
    }),
  ),
  historyCount: z.int(),
  changes: z.array(z.unknown()),
});
const ownRecord = z.looseObject({ recordId: z.int(), status: z.string(), rejectionReason: z.string().optional() });

const submitOwn = (count = 1) => submitRecords(api, smallSubmission(count), user);
const look = async (id: number, bearer = moderator) => {
  const answer = await api.get(`/moderation/records/${id}`, { bearer });
  expect(answer.status).toBe(200);
  return { ...view.parse(answer.json), tag: answer.headers.get('etag') ?? '' };
};
const readQueue = async (query = '', bearer = moderator) => {
  const answer = await api.get(`/moderation/queue${query}`, { bearer });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return { ...queue.parse(answer.json), links: answer.headers.get('link') };
};
const idsOf = async (query: string) => (await readQueue(query)).data.map(({ recordId }) => recordId);
const approve = (id: number, bearer = moderator, headers = {}): Promise<Answer> =>
  api.post(`/moderation/records/${id}/approve`, '', { bearer, headers });
const reject = (id: number, body: object = { reason: REASON }, bearer = moderator, headers = {}): Promise<Answer> =>
  api.post(`/moderation/records/${id}/reject`, body, { bearer, headers });
const rejectMany = (body: object, bearer = moderator): Promise<Answer> =>
  api.post('/moderation/reject', body, { bearer });
const updateOwn = (id: number, record: object): Promise<Answer> =>
  api.put(`/data/update/${id}`, { experimentData: [record] }, { bearer: user });
/** Returns a record of the contributor from the list and by itself. */
const ownOf = async (id: number) => {
  const [all, one] = [
    await api.get('/data/my-records', { bearer: user }),
    await api.get(`/data/experiment/${id}`, { bearer: user }),
  ];
  const listed = z
    .array(ownRecord)
    .parse(all.json)
    .filter(({ recordId }) => recordId === id);
  return [...listed, ...z.object({ experimentData: z.array(ownRecord) }).parse(one.json).experimentData];
};
describe('GET /moderation/queue', () => {
  test('lists the longest-waiting records first, in pages that lead to each other', async () => {
    for (const base of ['', '/api']) {
      const made = await submitOwn(5);
      const answer = await api.get(`${base}/moderation/queue?limit=1000`, { bearer: moderator });
      const { data, total } = queue.parse(answer.json);
      expect(data.slice(-5).map(({ recordId }) => recordId)).toEqual(made);
      expect(total).toBe(data.length);
      const times = data.map(({ waitingSince }) => waitingSince);
      expect([...times].sort()).toEqual(times);
      expect(data.at(-1)).toMatchObject({ status: 'PENDING', ownerAccountId: userId, polymers: ['PVA'], revision: 1 });
    }
    const [all, page] = [await idsOf('?limit=1000'), await readQueue('?status=PENDING&skip=2&limit=3')];
    expect(page.data.map(({ recordId }) => recordId)).toEqual(all.slice(2, 5));
    expect([page.skip, page.limit, page.total]).toEqual([2, 3, all.length]);
    const next = new URL(linkTargets(page.links).get('next') ?? '').search;
    expect((await idsOf(next)).slice(0, 3)).toEqual(all.slice(5, 8));
  });

  test('is filtered by status, submitter and polymer', async () => {
    const userMetadata = { ...anonymousSubmitter, name: 'Zoë Müller', email: 'zoe@lab.example' };
    const [id = 0] = await submitRecords(api, {
      userMetadata,
      researchMetadata: { doi: '10.1000/zoe', publicationTitle: 'Fibers' },
      experimentData: [{ polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }] } }],
    });
    // Other tests have left their records in the queue, all with lower ids.
    const newIdsOf = async (query: string) => (await idsOf(query)).filter((one) => one >= id);
    expect(await newIdsOf('?polymer=polycaprolactone&limit=1000')).toEqual([id]);
    expect(await newIdsOf(`?submitter=${encodeURIComponent('müller')}`)).toEqual([id]);
    expect(await newIdsOf('?submitter=ZOE@lab')).toEqual([id]);
    expect(await idsOf(`?submitter=${userId}`)).not.toContain(id);
    expect(await idsOf(`?polymer=pcl&submitter=${userId}`)).toEqual([]);
    expect(await idsOf('?polymer=unobtainium')).toEqual([]);
    const entry = (await readQueue('?polymer=PCL&limit=1000')).data.find(({ recordId }) => recordId === id);
    expect(entry).toMatchObject({ submitterName: 'Zoë Müller', doi: '10.1000/zoe', publicationTitle: 'Fibers' });
    expect(entry).not.toHaveProperty('ownerAccountId');
    await reject(id);
    expect(await newIdsOf('?polymer=PCL&limit=1000')).toEqual([]);
    expect(await newIdsOf('?polymer=PCL&status=REJECTED&limit=1000')).toEqual([id]);
  });

  test('is filtered by submission, in pages that preserve the filter', async () => {
    const ids = await submitOwn(3);
    const { submissionId } = await look(ids[0] ?? 0);
    const { data, total, links } = await readQueue(`?submissionId=${submissionId}&limit=2`);
    expect([data.map(({ recordId }) => recordId), total]).toEqual([ids.slice(0, 2), 3]);
    expect(await idsOf(new URL(linkTargets(links).get('next') ?? '').search)).toEqual(ids.slice(2));
    expect(await idsOf(`?submissionId=${submissionId}&polymer=PCL`)).toEqual([]);
    expect(await idsOf('?submissionId=9007199254740991')).toEqual([]);
  });

  test.each([
    ['status=pending', /PENDING, APPROVED/],
    ['limit=1001', /1 to 1000/],
    ['submitter=', /empty/],
    ['submissionId=0', /from 1 /],
    ['submitter=%00', /NUL/],
    [`polymer=${'x'.repeat(321)}`, /320/],
  ])('rejects %s', async (query, message) => {
    expectError(await api.get(`/moderation/queue?${query}`, { bearer: moderator }), 400, 'INVALID_PARAMETER', message);
  });
});

describe('GET /moderation/records/{id}', () => {
  test('shows the record, its submitter, its history, and the changes of an approval', async () => {
    const [id = 0] = await submitOwn();
    const fresh = await look(id);
    expect(fresh).toMatchObject({ revision: 1, status: 'PENDING', changes: [], ownerAccountId: userId });
    expect(fresh.record).toMatchObject({ recordId: id, experimentId: id, status: 'PENDING', ...smallRecord });
    expect(fresh.submitter).toMatchObject({ name: anonymousSubmitter.name, email: anonymousSubmitter.email });
    expect(fresh.tag).toBe(`"${id}-1"`);

    await approve(id);
    expect((await updateOwn(id, recordAt(20))).status).toBe(200);
    const edited = await look(id);
    expect(edited).toMatchObject({ revision: 2, publishedRevision: 1, status: 'PENDING' });
    expect(edited.changes).toEqual([{ path: 'processParameter.voltage', published: 12, proposed: 20 }]);
    await reject(id);
    const { history, historyCount } = await look(id);
    expect(
      history.map(({ action, revision, accountId, reason }) => [action, revision, accountId === userId, reason]),
    ).toEqual([
      ['submit', 1, true, undefined],
      ['approve', 1, false, undefined],
      ['update', 2, true, undefined],
      ['reject', 2, false, REASON],
    ]);
    expect(historyCount).toBe(4);
  });

  test('of an unknown record is 404', async () => {
    expectError(await api.get('/moderation/records/1000000', { bearer: moderator }), 404, 'RECORD_NOT_FOUND');
  });
});

describe('POST /moderation/records/{id}/reject', () => {
  test('rejects; the owner sees the reason, gets it by mail too, and may resubmit', async () => {
    const [id = 0] = await submitOwn();
    const reason = 'Which paper? — see “Methods”.';
    const answer = await reject(id, { reason });
    expect(answer.status).toBe(200);
    expect(reviewedRecord.parse(answer.json)).toEqual({ recordId: id, status: 'REJECTED', revision: 1 });
    expect(answer.headers.get('etag')).toBe(`"${id}-1"`);
    expect((await api.get('/data/my-records/ids?status=REJECTED', { bearer: user })).json).toContain(id);
    await mailSaying(stack.dataDir, CONTRIBUTOR, `Record ${id}: rejected. Reason: ${reason}`);
    const seen = await ownOf(id);
    expect(seen.map(({ status, rejectionReason }) => [status, rejectionReason])).toEqual([
      ['REJECTED', reason],
      ['REJECTED', reason],
    ]);
    // The record that was read can be sent back.
    expect((await updateOwn(id, { ...seen[0], ...recordAt(21) })).status).toBe(200);
    for (const record of await ownOf(id)) expect(record).not.toHaveProperty('rejectionReason');
    expect((await look(id)).record).not.toHaveProperty('rejectionReason');
    expect((await approve(id)).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['no reason', {}, 'reason'],
    ['an empty reason', { reason: ' \n ' }, 'reason'],
    ['a long reason', { reason: 'x'.repeat(2_001) }, 'reason'],
    ['a reason with a NUL', { reason: 'a\0b' }, 'reason'],
    ['a mistyped member', { reason: REASON, revison: 1 }, 'revison'],
  ])('rejects %s with the path', async (_, body, path) => {
    const [id = 0] = await submitOwn();
    const { errors } = expectError(await reject(id, body), 400, 'VALIDATION_FAILED');
    expect(errors?.map((error) => error.path)).toEqual([path]);
    expect((await look(id)).status).toBe('PENDING');
  });

  test('returns 412 for a record that has changed since it was read, and accepts the new revision', async () => {
    const [id = 0] = await submitOwn();
    const { tag, revision } = await look(id);
    await updateOwn(id, recordAt(14));
    expectError(await reject(id, undefined, moderator, { 'if-match': tag }), 412, 'PRECONDITION_FAILED');
    expectError(await reject(id, { reason: REASON, revision }), 412, 'PRECONDITION_FAILED');
    expectError(await approve(id, moderator, { 'if-match': tag }), 412, 'PRECONDITION_FAILED');
    expect((await reject(id, undefined, moderator, { 'if-match': (await look(id)).tag })).status).toBe(200);
    expectError(await reject(id), 409, 'CONFLICT', /REJECTED/);
    expectError(await reject(1_000_000), 404, 'RECORD_NOT_FOUND');
  });
});

describe('POST /moderation/reject', () => {
  test('rejects many for one reason, with one mail to their owner', async () => {
    const made = await submitOwn(3);
    const answer = await rejectMany({ recordIds: made, reason: REASON, revisions: [1, 1, 1] });
    const { message, records } = bulkReview.parse(answer.json);
    expect(message).toBe('3 records rejected.');
    expect(records).toEqual(made.map((recordId) => ({ recordId, status: 'REJECTED', revision: 1 })));
    await sendDelayedMails(stack);
    const text = `Records ${made.join(', ')}: rejected. Reason: ${REASON}`;
    const mail = await mailSaying(stack.dataDir, CONTRIBUTOR, text);
    const mails = await mailsTo(stack.dataDir, CONTRIBUTOR);
    expect(mails.filter(({ source }) => source.includes(text))).toEqual([mail]);
  });

  test.each<[string, object, string]>([
    ['no reason', { recordIds: [1] }, 'reason'],
    ['a duplicate record', { recordIds: [1, 1], reason: REASON }, 'recordIds[1]'],
    ['too few revisions', { recordIds: [1, 2], revisions: [1], reason: REASON }, 'revisions'],
    ['neither records nor an origin', { reason: REASON }, 'recordIds'],
    ['both records and an origin', { recordIds: [1], origin: 'x', reason: REASON }, 'origin'],
    ['an origin with revisions', { origin: 'x', revisions: [1], reason: REASON }, 'revisions'],
    ['an empty origin', { origin: ' ', reason: REASON }, 'origin'],
  ])('rejects %s', async (_, body, path) => {
    const { errors } = expectError(await rejectMany(body), 400, 'VALIDATION_FAILED');
    expect(errors?.map((error) => error.path)).toContain(path);
  });
});

test('of two moderators with opposite decisions, one succeeds and the other gets 409', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [id = 0] = await submitOwn();
    const both = [approve(id), reject(id, undefined, admin)];
    const answers = await Promise.all(round % 2 === 0 ? both : [...both].reverse());
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { history } = await look(id);
    expect(history).toHaveLength(2);
  }
});
