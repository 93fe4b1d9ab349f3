import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { smallSubmission } from '@esd/testing/records';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { submitRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { newAddress } from './support/new-address.ts';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let owner: string;
let other: string;
let moderator: string;
let secondModerator: string;
beforeAll(async () => {
  const { who } = await newAdmin(stack, api);
  const signIn = async (name: string, role?: 'MODERATOR') =>
    await login(api, (await addAccount(stack, who, newAddress(name), role)).who);
  owner = await signIn('unread-owner');
  other = await signIn('unread-other');
  moderator = await signIn('unread-moderator', 'MODERATOR');
  secondModerator = await signIn('unread-second', 'MODERATOR');
});

const unread = z.looseObject({
  messages: z.int(),
  records: z.array(z.looseObject({ recordId: z.int() })),
  moderation: z.looseObject({ waiting: z.int(), answered: z.int() }).optional(),
});
const summaries = z.array(
  z.looseObject({
    unread: z.int(),
    needsAnswer: z.boolean(),
    records: z.array(z.looseObject({ recordId: z.int(), unread: z.int(), needsAnswer: z.boolean() })),
  }),
);
const written = z.object({ id: z.int() });

const counts = async (bearer: string) => {
  const answer = await api.get('/data/unread', { bearer });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return unread.parse(answer.json);
};
const write = async (id: number, bearer: string, text = 'Which solvent?') => {
  const answer = await api.post(`/data/records/${id}/messages`, { text }, { bearer });
  expect(answer.status).toBe(201);
  return written.parse(answer.json).id;
};
const mark = (id: number, upTo: unknown, bearer: string) =>
  api.post(`/data/records/${id}/messages/read`, { upTo }, { bearer });
const stateOf = async (id: number) => {
  const all = summaries.parse((await api.get('/data/my-submissions', { bearer: owner })).json);
  const found = all.find(({ records }) => records.some(({ recordId }) => recordId === id));
  const record = found?.records.find(({ recordId }) => recordId === id);
  return {
    submission: [found?.unread, found?.needsAnswer],
    record: [record?.unread, record?.needsAnswer],
    listed: (await counts(owner)).records.find(({ recordId }) => recordId === id),
  };
};
const answered = async () => (await counts(moderator)).moderation?.answered ?? -1;

test('a question is unread and needs an answer until the owner marks it as read; reading it marks nothing', async () => {
  const [id = 0, second = 0] = await submitRecords(api, smallSubmission(2), owner);
  const { messages } = await counts(owner);
  expect(await stateOf(id)).toEqual({ submission: [0, false], record: [0, false], listed: undefined });
  await write(id, moderator);
  const last = await write(id, moderator, 'And which needle?');
  await api.get(`/data/records/${id}/messages`, { bearer: owner });
  const state = await stateOf(id);
  expect(state).toMatchObject({
    submission: [2, true],
    record: [2, true],
    listed: { recordId: id, messages: 2, needsAnswer: true },
  });
  expect((await stateOf(second)).record).toEqual([0, false]);
  expect((await counts(owner)).messages - messages).toBe(2);
  expect((await counts(other)).records).toEqual([]);

  for (let times = 0; times < 2; times += 1) {
    const answer = await mark(id, last, owner);
    expect([answer.status, answer.headers.get('cache-control'), answer.json]).toEqual([
      200,
      'no-store',
      { success: true, message: expect.stringContaining(`record ${id}`) },
    ]);
  }
  expect(await stateOf(id)).toEqual({ submission: [0, false], record: [0, false], listed: undefined });
});

test('an answer marks as read, and the record is answered for all moderators until one acts', async () => {
  const [id = 0, rejected = 0, written = 0] = await submitRecords(api, smallSubmission(3), owner);
  for (const record of [id, rejected, written]) await write(record, moderator);
  const before = await answered();
  const last = await write(id, owner, 'DMF.');
  for (const record of [rejected, written]) await write(record, owner, 'DMF.');
  expect((await stateOf(id)).record).toEqual([0, false]);
  expect(await answered()).toBe(before + 3);
  await api.get(`/data/records/${id}/messages`, { bearer: moderator });
  expect(await answered()).toBe(before + 3);

  expect((await mark(id, last, secondModerator)).status).toBe(200);
  expect(await answered()).toBe(before + 2);
  await write(written, secondModerator, 'Thank you.');
  expect(await answered()).toBe(before + 1);
  const decision = { recordIds: [rejected], reason: 'Incomplete.' };
  expect((await api.post('/moderation/reject', decision, { bearer: moderator })).status).toBe(200);
  expect(await answered()).toBe(before);
  // The owner disagrees with the decision.
  await write(rejected, owner, 'It is complete.');
  expect(await answered()).toBe(before + 1);
});

test('only a session of a moderator gets the counts of moderation', async () => {
  const made = await api.post('/auth/tokens', { name: 'unread', expiresInDays: 30 }, { bearer: moderator });
  const { token } = z.object({ token: z.string() }).parse(made.json);
  const { waiting } = (await counts(moderator)).moderation ?? { waiting: -1 };
  await submitRecords(api, smallSubmission(2), owner);
  expect((await counts(secondModerator)).moderation?.waiting).toBe(waiting + 2);
  expect((await counts(token)).moderation).toBeUndefined();
  expect((await counts(owner)).moderation).toBeUndefined();
  expectError(await api.get('/data/unread'), 401, 'AUTH_REQUIRED');
  expectError(await api.get('/data/unread?limit=1', { bearer: owner }), 400, 'INVALID_PARAMETER');
});

test('a mark needs a message of the same record', async () => {
  const [id = 0, second = 0] = await submitRecords(api, smallSubmission(2), owner);
  await write(id, moderator);
  const elsewhere = await write(second, moderator);
  expectError(await mark(id, 'last', owner), 400, 'VALIDATION_FAILED');
  const refused = await mark(id, elsewhere, owner);
  expectError(refused, 400, 'VALIDATION_FAILED');
  expect(refused.json).toMatchObject({ errors: [{ path: 'upTo', code: 'UNKNOWN_MESSAGE' }], errorCount: 1 });
  expect((await stateOf(id)).record).toEqual([1, true]);
});
