import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, smallSubmission } from '@esd/testing/records';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { submitRecords, untilPublic } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { newAddress } from './support/new-address.ts';

const history = z.array(
  z.looseObject({
    at: z.string(),
    action: z.string(),
    revision: z.int(),
    by: z.string(),
    changes: z.array(z.looseObject({ path: z.string() })).optional(),
  }),
);

const MODERATOR = newAddress('decides');

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let admin: string;
let moderator: { id: string; bearer: string };
let owner: string;
beforeAll(async () => {
  const { who } = await newAdmin(stack, api);
  admin = await login(api, who);
  const added = await addAccount(stack, who, MODERATOR, 'MODERATOR');
  moderator = { id: added.id, bearer: await login(api, added.who) };
  owner = await login(api, (await addAccount(stack, who, newAddress('history'))).who);
});

const read = (id: number, bearer: string) => api.get(`/data/my-records/${id}/history`, { bearer });
const decide = async (id: number, act: string, body: object = {}): Promise<void> => {
  const answer = await api.post(`/moderation/records/${id}/${act}`, body, { bearer: moderator.bearer });
  expect([act, answer.status]).toEqual([act, 200]);
};
const change = async (id: number, voltage: number): Promise<void> => {
  const answer = await api.put(`/data/update/${id}`, { experimentData: [recordAt(voltage, 'PVA')] }, { bearer: owner });
  expect(answer.status).toBe(200);
};

test('an owner reads the history of a record with the changes of each revision, without names', async () => {
  const sent = { ...smallSubmission(), experimentData: [recordAt(15, 'PVA')] };
  const [id = 0] = await submitRecords(api, sent, owner);
  await decide(id, 'reject', { reason: 'Which <b>voltage</b>?' });
  await decide(id, 'reopen');
  await change(id, 17);
  await decide(id, 'approve');
  await untilPublic(api, [id]);
  await change(id, 19);
  await decide(id, 'withdraw', { reason: 'Asked by its authors.' });
  await decide(id, 'restore');

  const answer = await read(id, owner);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const voltage = (before: number, after: number) => [{ path: 'processParameter.voltage', before, after }];
  expect(history.parse(answer.json).map(({ at: _, ...entry }) => entry)).toEqual([
    { action: 'submit', revision: 1, by: 'owner' },
    { action: 'reject', revision: 1, by: 'moderator', reason: 'Which <b>voltage</b>?' },
    { action: 'reopen', revision: 1, by: 'moderator' },
    { action: 'update', revision: 2, by: 'owner', changes: expect.arrayContaining(voltage(15, 17)) },
    { action: 'approve', revision: 2, by: 'moderator' },
    { action: 'update', revision: 3, by: 'owner', changes: voltage(17, 19) },
    // The waiting edit is withdrawn with the record.
    expect.objectContaining({ action: 'reject', revision: 3, by: 'moderator' }),
    { action: 'withdraw', revision: 4, by: 'moderator', reason: 'Asked by its authors.' },
    { action: 'restore', revision: 5, by: 'moderator', changes: voltage(19, 17) },
  ]);
  expect(answer.text).not.toContain(moderator.id);
  expect(answer.text).not.toMatch(/accountId|@/);

  // The account export contains the same.
  const all = await api.get('/auth/profile/export', { bearer: owner });
  const exported = z.looseObject({ history: z.array(z.looseObject({ recordId: z.int() })) }).parse(all.json);
  const same = exported.history.filter(({ recordId }) => recordId === id);
  expect(same.map(({ at, action, revision, by }) => ({ at, action, revision, by }))).toEqual(
    history.parse(answer.json).map(({ at, action, revision, by }) => ({ at, action, revision, by })),
  );
});

test('a history that takes several statements to read is complete, and each revision is compared with the previous one', async () => {
  const [id = 0] = await submitRecords(api, { experimentData: [recordAt(1, 'PVA')] }, owner);
  for (let voltage = 2; voltage <= 53; voltage += 1) await change(id, voltage);
  const entries = history.parse((await read(id, owner)).json);
  expect(entries.map(({ revision }) => revision)).toEqual(Array.from({ length: 53 }, (_, at) => at + 1));
  expect(entries.slice(1).map(({ changes }) => changes?.find(({ path }) => path.endsWith('.voltage')))).toEqual(
    Array.from({ length: 52 }, (_, at) => ({ path: 'processParameter.voltage', before: at + 1, after: at + 2 })),
  );
});

test('no other account can read it, whatever its role; a token of the owner can', async () => {
  const [id = 0] = await submitRecords(api, smallSubmission(), owner);
  for (const bearer of [admin, moderator.bearer])
    expectError(await read(id, bearer), 404, 'RECORD_NOT_FOUND', /You have no record/);
  expectError(await api.get(`/data/my-records/${id}/history`), 401, 'AUTH_REQUIRED');
  expectError(await read(2_000_000_000, owner), 404, 'RECORD_NOT_FOUND');
  const made = await api.post('/auth/tokens', { name: 'notebook', expiresInDays: 30 }, { bearer: owner });
  const { token } = z.object({ token: z.string() }).parse(made.json);
  expect((await read(id, token)).status).toBe(200);
});
