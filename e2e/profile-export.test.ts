import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, smallSubmission } from '@esd/testing/records';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { freezeRelease, submitRecords, untilPublic } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { uploadImage } from './support/images.ts';
import { newAddress } from './support/new-address.ts';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let moderator: string;
let moderatorId: string;
beforeAll(async () => {
  const { who } = await newAdmin(stack, api);
  const added = await addAccount(stack, who, newAddress('moderator'), 'MODERATOR');
  [moderator, moderatorId] = [await login(api, added.who), added.id];
});

const ownData = z.looseObject({
  account: z.looseObject({ email: z.string() }),
  sessions: z.array(z.looseObject({ current: z.boolean() })),
  tokens: z.array(z.looseObject({ name: z.string() })),
  snapshots: z.array(z.looseObject({ name: z.string() })),
  acts: z.array(z.looseObject({ action: z.string() })),
  changes: z.array(z.unknown()),
  images: z.array(z.looseObject({ imageId: z.string() })),
  records: z.array(z.looseObject({ recordId: z.int(), status: z.string() })),
  revisions: z.array(z.looseObject({ recordId: z.int(), revision: z.int() })),
  history: z.array(z.looseObject({ recordId: z.int(), action: z.string(), by: z.string() })),
  messages: z.array(z.looseObject({ text: z.string(), mine: z.boolean() })),
  reviews: z.array(z.looseObject({ recordId: z.int(), action: z.string() })),
});
const exported = async (bearer: string) => {
  const answer = await api.get('/auth/profile/export', { bearer });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return { ...ownData.parse(answer.json), text: answer.text };
};
async function newOwner(): Promise<{ token: string; email: string }> {
  const { who } = await newAdmin(stack, api);
  const email = newAddress('exports');
  return { token: await login(api, (await addAccount(stack, who, email)).who), email };
}

test('contains all data of the account, and of no other', async () => {
  const { token, email } = await newOwner();
  const imageId = await uploadImage(api);
  const made = await api.post('/auth/tokens', { name: 'notebook', expiresInDays: 30 }, { bearer: token });
  const { token: secret } = z.object({ token: z.string() }).parse(made.json);
  const [id = 0, other = 0] = await submitRecords(api, smallSubmission(2), token);
  expect((await api.post(`/experiments/${id}/images`, { imageId }, { bearer: token })).status).toBe(201);
  expect(
    (await api.put(`/data/update/${id}`, { experimentData: [recordAt(17, 'PVA')] }, { bearer: token })).status,
  ).toBe(200);
  expect((await api.post('/moderation/approve', { recordIds: [id, other] }, { bearer: moderator })).status).toBe(200);
  await untilPublic(api, [id, other]);
  const withdrawn = await api.post(`/moderation/records/${id}/withdraw`, { reason: 'Why.' }, { bearer: moderator });
  expect(withdrawn.status).toBe(200);
  const asked = await api.post(`/data/records/${id}/messages`, { text: 'A question.' }, { bearer: moderator });
  const { id: upTo } = z.object({ id: z.int() }).parse(asked.json);
  expect((await api.post(`/data/records/${id}/messages/read`, { upTo }, { bearer: token })).status).toBe(200);
  await api.post(`/data/records/${id}/messages`, { text: 'An answer.' }, { bearer: token });
  expect((await api.post('/versions', { name: 'mine', filterConfig: {} }, { bearer: token })).status).toBe(201);

  const { text, ...all } = await exported(token);
  expect(all).toMatchObject({
    account: { email },
    sessions: [{ current: true }],
    tokens: [{ name: 'notebook' }],
    snapshots: [{ name: 'mine' }],
    images: [{ imageId, width: expect.any(Number) }],
    submissions: [{ credential: 'session' }],
    records: [
      {
        recordId: id,
        status: 'REJECTED',
        publishedRevision: null,
        withdrawn: { reason: 'Why.' },
        messagesReadUpTo: upTo,
      },
      { recordId: other, status: 'APPROVED', publishedRevision: 1, withdrawn: null, messagesReadUpTo: null },
    ],
    messages: [
      { text: 'A question.', mine: false, from: 'moderator' },
      { text: 'An answer.', mine: true, from: 'owner' },
    ],
    reviews: [],
  });
  expect(all.acts.map(({ action }) => action)).toEqual(expect.arrayContaining(['token-created']));
  expect(all.revisions.map(({ recordId, revision }) => [recordId, revision])).toEqual([
    [id, 1],
    [id, 2],
    [id, 3],
    [id, 4],
    [other, 1],
  ]);
  expect(all.history.map(({ recordId, action, by }) => [recordId, action, by])).toEqual([
    [id, 'submit', 'owner'],
    [id, 'update', 'owner'],
    [id, 'update', 'owner'],
    [id, 'approve', 'moderator'],
    [id, 'withdraw', 'moderator'],
    [other, 'submit', 'owner'],
    [other, 'approve', 'moderator'],
  ]);
  expect(text).not.toContain(moderatorId);
  expect(text).not.toContain(secret);
  expect(text).not.toMatch(/passwordHash|tokenHash|sha256/i);
  const reviews = (await exported(moderator)).reviews.filter(({ recordId }) => recordId === id);
  expect(reviews.map(({ action }) => action)).toEqual(['approve', 'withdraw']);
});

test("contains the account's changes of lists and releases", async () => {
  const { token: admin } = await newAdmin(stack, api);
  expect((await exported(admin)).changes).toEqual([]);
  const name = `EXPORTED${randomUUID().slice(0, 8)}`;
  const added = await api.post('/metadata/polymers', { name }, { bearer: admin });
  expect([added.status, added.text]).toEqual([201, expect.any(String)]);
  const { id: entryId } = z.object({ id: z.int() }).parse(added.json);
  expect((await api.delete(`/metadata/polymers/${entryId}`, { bearer: admin })).status).toBe(200);
  const version = `v8.0.${randomInt(1_000_000)}`;
  // The next file on this stack must not see the list of releases change.
  await freezeRelease(api, { versionIdentifier: version }, admin);
  const at = expect.any(String);
  expect((await exported(admin)).changes).toEqual([
    { at, action: 'reserve', version },
    { at, action: 'delete', list: 'polymers', entryId },
    { at, action: 'create', list: 'polymers', entryId },
  ]);
  expect((await exported(moderator)).changes).toEqual([]);
});

test('needs a session and every service: complete or not at all', async () => {
  const { token } = await newOwner();
  const made = await api.post('/auth/tokens', { name: 'script' }, { bearer: token });
  const { token: pat } = z.object({ token: z.string() }).parse(made.json);
  expectError(await api.get('/auth/profile/export', { bearer: pat }), 403, 'SESSION_REQUIRED');
  const [id = 0] = await submitRecords(api, smallSubmission(), token);
  const imageId = await uploadImage(api);
  expect((await api.post(`/experiments/${id}/images`, { imageId }, { bearer: token })).status).toBe(201);
  for (const service of ['dataset-svc', 'media-svc', 'submission-svc']) {
    await stack.kill(service);
    expectError(await api.get('/auth/profile/export', { bearer: token }), 503, 'UNAVAILABLE');
    await stack.start(service);
  }
  // The gateway calls a restarted service again after a moment.
  await eventually(
    async () => (await api.get('/auth/profile/export', { bearer: token })).status,
    (status) => status === 200,
  );
  expect((await exported(token)).records).toHaveLength(1);
});
