import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import { request } from '@esd/testing/http';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { type Answer, apiAt } from './support/api.ts';
import { query } from './support/database.ts';
import { approveRecords, FREEZE_MS, publishRecords, readAll, submitRecords, untilPublic } from './support/dataset.ts';
import { expectWholeLog } from './support/dataset-log.ts';
import { expectError } from './support/errors.ts';
import { allPublished } from './support/events.ts';
import { eventually } from '@esd/testing/eventually';
import { mailSaying } from './support/mail.ts';
import { newAddress } from './support/new-address.ts';
import { serviceCommand } from './support/service-command.ts';
import { page, reviewedRecord } from './support/shapes.ts';

const REASON = 'The paper was <b>retracted</b>.';
const OWNER = newAddress('withdrawn');
const NAME = `Withdrawn ${randomUUID()}`;

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let admin: string;
let moderator: string;
let owner: string;
beforeAll(async () => {
  const first = await newAdmin(stack, api);
  admin = first.token;
  moderator = await login(api, (await addAccount(stack, first.who, newAddress('moderator'), 'MODERATOR')).who);
  owner = await login(api, (await addAccount(stack, first.who, OWNER)).who);
});

const withdrawnMember = z.strictObject({ at: z.iso.datetime(), reason: z.literal(REASON) });
const withdrawnRecord = reviewedRecord.extend({ withdrawn: withdrawnMember });

const submissionOf = (voltages: number[]) => ({
  userMetadata: { ...anonymousSubmitter, name: NAME, showPublicly: true },
  experimentData: voltages.map((voltage) => recordAt(voltage, 'PCL')),
});
const publish = (voltages: number[]) => publishRecords(api, submissionOf(voltages), moderator, owner);
const approve = (...recordIds: number[]) => approveRecords(api, recordIds, moderator);
const act = (id: number, what: string, body: object | string = '', bearer = moderator, headers = {}): Promise<Answer> =>
  api.post(`/moderation/records/${id}/${what}`, body, { bearer, headers });
const withdraw = async (id: number) => {
  const answer = await act(id, 'withdraw', { reason: REASON });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return withdrawnRecord.parse(answer.json);
};
const publicIds = async () => (await readAll(api)).map(({ recordId }) => recordId);
const untilGone = (id: number) =>
  eventually(
    async () => (await api.get(`/public/dataset/records/${id}`)).status,
    (status) => status === 410,
  );
const totalOf = async (path: string) => page.parse((await api.get(path)).json).total;
const readPage = (path: string) => request(`${api.url}${path}`, { headers: { accept: 'text/html' } });

describe('a record that is withdrawn', () => {
  const version = `v7.0.${randomInt(1_000_000)}`;
  let id = 0;
  let remaining = 0;
  let at = '';
  let snapshotId = 0;
  let queryId = '';
  let before = 0;
  beforeAll(async () => {
    [id = 0, remaining = 0] = await publish([17.25, 18.25]);
    const started = await api.post('/admin/versions', { versionIdentifier: version }, { bearer: admin });
    const { id: releaseId } = z.object({ id: z.int() }).parse(started.json);
    const progress = z.looseObject({ state: z.string(), filesDone: z.int().min(0), filesTotal: z.int().min(1) });
    const { filesDone, filesTotal } = await eventually(
      async () => progress.parse((await api.get(`/admin/versions/${releaseId}`, { bearer: admin })).json),
      ({ state }) => state === 'FROZEN',
      FREEZE_MS,
    );
    expect(filesDone).toBe(filesTotal);
    const filter = { voltageMin: 17, voltageMax: 19, polymer: 'PCL' };
    const snapshot = await api.post('/versions', { name: 'mine', filterConfig: filter }, { bearer: owner });
    snapshotId = z.object({ id: z.int() }).parse(snapshot.json).id;
    queryId = z.object({ id: z.string() }).parse((await api.post('/public/queries', { filter })).json).id;
    expect((await api.get(`/public/dataset/${version}/records/${id}`)).json).not.toHaveProperty('withdrawn');
    before = await totalOf('/public/dataset?limit=1');
    const stale = await act(id, 'withdraw', { reason: REASON, revision: 2 });
    expectError(stale, 412, 'PRECONDITION_FAILED');
    const other = await act(id, 'withdraw', { reason: REASON }, moderator, { 'if-match': `"${id}-7"` });
    expectError(other, 412, 'PRECONDITION_FAILED');
    const answer = await act(id, 'withdraw', { reason: REASON, revision: 1 }, moderator, { 'if-match': `"${id}-1"` });
    expect(answer.headers.get('etag')).toBe(`"${id}-2"`);
    const record = withdrawnRecord.parse(answer.json);
    expect(record).toMatchObject({ recordId: id, status: 'REJECTED', revision: 2 });
    at = record.withdrawn.at;
    await untilGone(id);
  });

  test('is 410 with date and reason, as JSON and as a page', async () => {
    for (const path of [
      `/public/dataset/records/${id}`,
      `/public/dataset/latest/records/${id}`,
      `/public/dataset/records/${id}/metadata`,
    ]) {
      const answer = await api.get(path);
      expect(expectError(answer, 410, 'RECORD_WITHDRAWN', /was withdrawn on 20/)).toMatchObject({
        withdrawn: { at, reason: REASON, versions: [version] },
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect(await request(`${api.url}/record/${id}`)).toMatchObject({ status: 410, json: { code: 'RECORD_WITHDRAWN' } });
    const { status, text } = await readPage(`/record/${id}`);
    expect(status).toBe(410);
    expect(text).toContain('Withdrawn on');
    expect(text).toContain('The paper was &lt;b>retracted&lt;/b>.');
    expect(text).toContain('This release still contains it:');
    const [, link = ''] = new RegExp(`href="([^"]*)">${version}</a>`).exec(text) ?? [];
    expect((await fetch(new URL(link, api.url))).status).toBe(200);
    expect(text).not.toContain('<b>retracted');
  });

  test('is no longer in the latest dataset, its counts, its sitemap', async () => {
    expect(await totalOf('/public/dataset?limit=1')).toBe(before - 1);
    expect(await publicIds()).toEqual(expect.not.arrayContaining([id]));
    expect(await totalOf(`/public/dataset?filter=${JSON.stringify({ voltageMin: 17.2, voltageMax: 17.3 })}`)).toBe(0);
    const facets = await api.get('/public/dataset/facets?keys=polymer');
    expect(z.object({ total: z.int() }).parse(facets.json).total).toBe(before - 1);
    const sitemap = (await request(`${api.url}/sitemap-records-1.xml`)).text;
    expect(sitemap).toContain(`/record/${remaining}<`);
    expect(sitemap).not.toContain(`/record/${id}<`);
    const contributors = z
      .array(z.looseObject({ name: z.string(), publishedRecords: z.int() }))
      .parse((await api.get('/contributors/list')).json);
    expect(contributors.find(({ name }) => name === NAME)).toMatchObject({ publishedRecords: 1 });
  });

  test('remains in releases, snapshots and queries, which show the withdrawal', async () => {
    const answer = await api.get(`/public/dataset/${version}/records/${id}`);
    expect(answer.json).toMatchObject({ recordRevision: 1, withdrawn: { at, reason: REASON } });
    const text = (await readPage(`/record/${id}?version=${version}`)).text;
    expect(text).toContain('Withdrawn on');
    expect(text).toContain('This release still contains the record.');
    const ids = z.object({ data: z.array(z.looseObject({ recordId: z.int() })) });
    for (const path of [`/versions/${snapshotId}/records`, `/public/queries/${queryId}/records`]) {
      const { data } = ids.parse((await api.get(path, { bearer: owner })).json);
      expect(data.map(({ recordId }) => recordId)).toEqual(expect.arrayContaining([id, remaining]));
    }
    const difference = await api.get(`/public/dataset/versions/${version}/diff/latest`);
    expect(z.looseObject({ removed: z.array(z.int()) }).parse(difference.json).removed).toContain(id);
  });

  test('is reported to its owner with time and reason', async () => {
    await mailSaying(stack.dataDir, OWNER, `Record ${id}: withdrawn, so no longer public. Reason: ${REASON}`);
    const own = z
      .array(z.looseObject({ recordId: z.int() }))
      .parse((await api.get('/data/my-records', { bearer: owner })).json);
    expect(own.find(({ recordId }) => recordId === id)).toMatchObject({
      status: 'REJECTED',
      rejectionReason: REASON,
      withdrawn: { at, reason: REASON },
      revision: 2,
    });
    const experiment = await api.get(`/data/experiment/${id}`, { bearer: owner });
    expect(experiment.json).toMatchObject({ experimentData: [{ withdrawn: { at, reason: REASON } }] });
    const review = await api.get(`/moderation/records/${id}`, { bearer: moderator });
    expect(review.json).toMatchObject({ withdrawn: { at, reason: REASON }, status: 'REJECTED' });
    // The moderator is not named.
    for (const { text } of [experiment, await api.get(`/public/dataset/records/${id}`)]) {
      expect(text).not.toMatch(/accountId|moderator@/);
    }
  });

  test('cannot be withdrawn again or reopened; after restore it awaits review, and approval publishes it', async () => {
    expectError(await act(id, 'withdraw', { reason: REASON }), 409, 'CONFLICT', /not public/);
    expectError(await act(id, 'reopen'), 409, 'CONFLICT', /restore/);
    expectError(await act(remaining, 'restore'), 409, 'CONFLICT', /not withdrawn/);
    expectError(await act(id, 'restore', { revision: 1 }), 412, 'PRECONDITION_FAILED');
    const restored = await act(id, 'restore');
    expect(reviewedRecord.parse(restored.json)).toEqual({ recordId: id, status: 'PENDING', revision: 3 });
    expect((await api.get(`/public/dataset/records/${id}`)).status).toBe(410);
    await approve(id);
    await untilPublic(api, [id]);
    const answer = await api.get(`/public/dataset/${version}/records/${id}`);
    expect(answer.json).not.toHaveProperty('withdrawn');
    expect((await readPage(`/record/${id}`)).status).toBe(200);
  });
});

test('a rejected record is reopened, and the owner is notified', async () => {
  const [id = 0] = await submitRecords(api, submissionOf([20]), owner);
  expectError(await act(id, 'reopen'), 409, 'CONFLICT', /PENDING/);
  expect((await act(id, 'reject', { reason: 'No.' })).status).toBe(200);
  expect(reviewedRecord.parse((await act(id, 'reopen')).json)).toEqual({
    recordId: id,
    status: 'PENDING',
    revision: 1,
  });
  await mailSaying(stack.dataDir, OWNER, `Record ${id}: no longer rejected; awaits review again`);
});

test('a review shows the published revision and likely duplicates, and a moderator lists their own decisions', async () => {
  const experimentData = [{ ...recordAt(23, 'PCL'), researchMetadata: { doi: `10.1234/${randomUUID()}` } }];
  const [first = 0] = await submitRecords(api, { experimentData }, owner);
  await approve(first);
  const [second = 0] = await submitRecords(api, { experimentData }, moderator);
  const review = z.looseObject({ duplicates: z.unknown(), publishedRecord: z.unknown().optional() });
  const look = async (id: number) => review.parse((await api.get(`/moderation/records/${id}`, { bearer: admin })).json);
  expect((await look(second)).duplicates).toEqual([{ recordId: first, status: 'APPROVED', published: true }]);
  expect((await look(first)).duplicates).toEqual([{ recordId: second, status: 'PENDING', published: false }]);
  expect(await look(first)).not.toHaveProperty('publishedRecord');
  const edit = { experimentData: [recordAt(24, 'PCL')] };
  expect((await api.put(`/data/update/${first}`, edit, { bearer: owner })).status).toBe(200);
  expect(await look(first)).toMatchObject({ publishedRecord: { processParameter: { voltage: 23 } } });
  await withdraw(first);
  expect(await look(first)).toMatchObject({ publishedRecord: { processParameter: { voltage: 23 } }, changes: [] });

  const answer = await api.get('/moderation/decisions?limit=2', { bearer: moderator });
  const { data } = z.object({ data: z.array(z.looseObject({ id: z.int() })) }).parse(answer.json);
  expect(data).toMatchObject([
    {
      action: 'withdraw',
      reason: REASON,
      records: [{ recordId: first, revision: 3, record: { status: 'REJECTED', withdrawn: true } }],
      undoUntil: null,
    },
    { action: 'reject', records: [{ recordId: first, revision: 2, record: { revision: 3, published: false } }] },
  ]);
  expect(answer.headers.get('link')).toContain('rel="next"');
});

test('an admin sees how many records use an entry before changing it', async () => {
  await publish([25]);
  const polymers = z
    .array(z.object({ id: z.int(), name: z.string() }))
    .parse((await api.get('/metadata/polymers')).json);
  const { id = 0 } = polymers.find(({ name }) => name === 'PCL') ?? {};
  const answer = await api.get(`/admin/metadata/polymers/${id}/use`, { bearer: admin });
  const use = z.object({ names: z.array(z.string()), records: z.int().min(1) }).parse(answer.json);
  expect(use.names).toContain('PCL');
  expectError(await api.get('/admin/metadata/polymers/999999/use', { bearer: admin }), 404, 'ENTRY_NOT_FOUND');
  expectError(await api.get('/admin/metadata/nothing/1/use', { bearer: admin }), 400, 'INVALID_PARAMETER');
});

test('the reason is plain text of 1 to 500 characters', async () => {
  const [id = 0] = await publish([21]);
  for (const reason of ['', 'x'.repeat(501), 'a\u0000b']) {
    expectError(await act(id, 'withdraw', { reason }), 400, 'VALIDATION_FAILED', /problem/);
  }
});

describe('faults in event delivery', () => {
  test('dataset-svc killed between decision and event: the record is withdrawn after the restart', async () => {
    const [id = 0, edited = 0] = await publish([30, 31]);
    await stack.kill('dataset-svc');
    await withdraw(id);
    await withdraw(edited);
    expect((await act(edited, 'restore')).status).toBe(200);
    await approve(edited);
    await stack.start('dataset-svc');
    await untilGone(id);
    // Approval and withdrawal arrive by separate consumers, in any order.
    await untilPublic(api, [edited]);
    await expectWholeLog(stack.databaseUrl('esd_dataset'));
  });

  test('after all events are delivered again, also with a new index, withdrawn records remain withdrawn', async () => {
    const [id = 0, back = 0, other = 0] = await publish([40, 41, 42]);
    await withdraw(id);
    await withdraw(back);
    await untilGone(back);
    expect((await act(back, 'restore')).status).toBe(200);
    await approve(back);
    await untilPublic(api, [back, other]);
    const dataset = stack.databaseUrl('esd_dataset');
    const log = 'select record_id, record_revision, valid_from, valid_to from record_revision order by row_id';
    const was = { ids: await publicIds(), log: await query(dataset, log) };
    expect(await serviceCommand(stack, 'submission-svc', ['republish'])).toMatchObject({ code: 0 });
    await allPublished(stack);
    const [marker = 0] = await publish([43]);
    expect((await query(dataset, log)).slice(0, was.log.length)).toEqual(was.log);
    expect(await publicIds()).toEqual([...was.ids, marker]);
    await stack.kill('dataset-svc');
    await stack.start('dataset-svc');
    await untilGone(id);
    expect(await publicIds()).toEqual([...was.ids, marker]);
    await expectWholeLog(dataset);
  });
});
