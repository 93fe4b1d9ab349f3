import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { addAccount } from './support/accounts.ts';
import { type Credentials, newAdmin, login } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { query } from './support/database.ts';
import { approveRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { page, submission } from './support/shapes.ts';
import { recordAt } from '@esd/testing/records';
import { newAddress } from './support/new-address.ts';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let bearer: string;
let admin: Credentials;
beforeAll(async () => {
  ({ who: admin, token: bearer } = await newAdmin(stack, api));
});

async function submit(...voltages: number[]) {
  const answer = await api.post(
    '/data/submit',
    { experimentData: voltages.map((voltage) => recordAt(voltage)) },
    { bearer },
  );
  const { submissionId, records } = submission.parse(answer.json);
  return { submissionId, ids: records.map(({ recordId }) => recordId) };
}

const update = (id: number, voltage: number, headers: Record<string, string> = {}) =>
  api.put(`/data/update/${id}`, { experimentData: [recordAt(voltage)] }, { bearer, headers });

const publicVoltage = async (id: number): Promise<number | undefined> => {
  const { data } = page.parse((await api.get('/public/dataset?limit=1000')).json);
  return data.find(({ recordId }) => recordId === id)?.processParameter?.voltage;
};

test('a record from its submission to an approved edit', async () => {
  const { ids } = await submit(10);
  const [id = 0] = ids;
  const read = await api.get(`/data/experiment/${id}`, { bearer });
  const tag = read.headers.get('etag') ?? '';

  const first = await update(id, 11, { 'if-match': tag });
  expect([first.status, first.json]).toEqual([
    200,
    {
      recordId: id,
      status: 'PENDING',
      missingFields: [],
      warnings: [],
      message: `Record ${id} is saved and awaits review.`,
    },
  ]);
  expect(first.headers.get('etag')).not.toBe(tag);
  expectError(await update(id, 12, { 'if-match': tag }), 412, 'PRECONDITION_FAILED');
  expectError(await update(id, 12, { 'if-match': 'x' }), 400, 'INVALID_PARAMETER', /If-Match/);
  expect((await update(id, 12, { 'if-match': '*' })).status).toBe(200);

  await approveRecords(api, [id], bearer);
  await eventually(
    () => publicVoltage(id),
    (voltage) => voltage === 12,
  );
  const edit = await update(id, 13);
  expect(edit.json).toMatchObject({
    status: 'PENDING',
    message: expect.stringContaining('The published revision remains public'),
  });
  expect(await publicVoltage(id)).toBe(12);
  const own = z.array(z.looseObject({})).parse((await api.get('/data/my-records', { bearer })).json);
  expect(own).toMatchObject([{ recordId: id, status: 'PENDING', processParameter: { voltage: 13 } }]);
  await approveRecords(api, [id], bearer);
  await eventually(
    () => publicVoltage(id),
    (voltage) => voltage === 13,
  );
});

test('all records of a submission are updated, or none', async () => {
  const { submissionId, ids } = await submit(20, 21);
  const path = `/data/update-submission/${submissionId}`;
  const answer = await api.put(path, { experimentData: [recordAt(22), recordAt(21)] }, { bearer });
  expect(answer.json).toEqual({
    message: '1 of 2 records updated. The others are unchanged.',
    submissionId,
    records: ids.map((recordId) => ({ recordId, status: 'PENDING', missingFields: [], warnings: [] })),
  });
  const wrong = { experimentData: [recordAt(23), { ...recordAt(24), polymerProperty: {} }] };
  expectError(await api.put(path, wrong, { bearer }), 400, 'MISSING_FIELDS');
  const few = expectError(
    await api.put(path, { experimentData: [recordAt(23)] }, { bearer }),
    400,
    'VALIDATION_FAILED',
  );
  expect(few.errors).toMatchObject([{ path: 'experimentData', code: 'WRONG_RECORD_COUNT' }]);
  const { experimentData } = z
    .looseObject({ experimentData: z.array(z.looseObject({})) })
    .parse((await api.get(`/data/submission/${submissionId}`, { bearer })).json);
  expect(experimentData).toMatchObject([{ processParameter: { voltage: 22 } }, { processParameter: { voltage: 21 } }]);
});

test('deleting an account preserves only its public records', async () => {
  const { id: accountId, who } = await addAccount(stack, admin, newAddress('contributor'));
  const own = await login(api, who);
  const body = { userMetadata: { name: 'Ada', lab: 'Fiber Lab' }, experimentData: [recordAt(30), recordAt(31)] };
  const { records } = submission.parse((await api.post('/data/submit', body, { bearer: own })).json);
  const [kept = 0, gone = 0] = records.map(({ recordId }) => recordId);
  await approveRecords(api, [kept], bearer);
  await api.put(`/data/update/${kept}`, { experimentData: [recordAt(32)] }, { bearer: own });
  expect((await api.delete('/auth/profile', { bearer: own })).status).toBe(200);

  const url = stack.databaseUrl('esd_submission');
  // The last transaction of the erasure clears the owner of the submission.
  await eventually(
    () => query(url, 'select id from submission where owner_account_id = $1', [accountId]),
    (submissions) => submissions.length === 0,
  );
  const rows = await query(
    url,
    `select record.id, record.status, record.revision, record.owner_account_id, submitter.user_metadata
     from record left join submitter using (submission_id) where record.id = any($1)`,
    [[kept, gone]],
  );
  expect(rows).toEqual([{ id: kept, status: 'APPROVED', revision: 1, owner_account_id: null, user_metadata: null }]);
  await eventually(
    () => publicVoltage(kept),
    (voltage) => voltage === 30,
  );
});

test('an update of a submission whose records have changed since they were read is rejected', async () => {
  const { submissionId, ids } = await submit(1, 2);
  const path = `/data/update-submission/${submissionId}`;
  const put = (voltages: number[], tag: string) =>
    api.put(
      path,
      { experimentData: voltages.map((voltage) => recordAt(voltage)) },
      { bearer, headers: { 'if-match': tag } },
    );
  const read = async () =>
    (await api.get(`/data/submission/${submissionId}`, { bearer })).headers.get('etag') ?? 'no tag';

  const stale = await read();
  expect(stale).toMatch(/^"[^"]+"$/);
  expect((await update(ids[1] ?? 0, 3)).status).toBe(200);
  expectError(await put([4, 5], stale), 412, 'PRECONDITION_FAILED', /read them again/);
  expectError(await put([4, 5], 'x'), 400, 'INVALID_PARAMETER', /If-Match/);

  const updated = await put([4, 5], await read());
  expect(updated.status).toBe(200);
  expect(updated.headers.get('etag')).toBe(await read());
  expect((await put([6, 7], '*')).status).toBe(200);
});
