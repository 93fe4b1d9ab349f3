import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { anonymousSubmitter, recordAt } from '@esd/testing/records';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { submitRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { newAddress } from './support/new-address.ts';

let stack: TestStack;
let api: Api;
let moderator: string;
let user: string;
let userId: string;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  const { who } = await newAdmin(stack, api);
  moderator = await login(api, (await addAccount(stack, who, newAddress('moderator'), 'MODERATOR')).who);
  const contributor = await addAccount(stack, who, newAddress('contributor'));
  [user, userId] = [await login(api, contributor.who), contributor.id];
});
afterAll(() => stack.stop());

const counts = z.record(z.string(), z.int());
const list = z.looseObject({
  data: z.array(z.looseObject({ submissionId: z.int(), waitingSince: z.string(), records: z.unknown() })),
  total: z.int(),
  skip: z.int(),
  limit: z.int(),
  counts,
});
const table = z.looseObject({
  total: z.int(),
  columns: z.array(z.looseObject({})),
  rows: z.array(
    z.looseObject({
      recordId: z.int(),
      status: z.string(),
      summary: z.string(),
      values: z.record(z.string(), z.string()),
      warnings: z.array(z.unknown()),
      changed: z.array(z.string()),
    }),
  ),
});
const queue = z.looseObject({ data: z.array(z.looseObject({ recordId: z.int() })), total: z.int(), counts });

const recipe = (voltage: number, diameter: number, unit = 'nm', solvent = 'DMF') => ({
  ...recordAt(voltage),
  solventProperty: { solventComponents: [{ solventName: solvent }] },
  fiberProperty: { fiberDiameter: diameter, fiberDiameterUnit: unit },
});
const send = (experimentData: readonly object[], bearer?: string, doi?: string) =>
  submitRecords(
    api,
    { userMetadata: anonymousSubmitter, experimentData, ...(doi === undefined ? {} : { researchMetadata: { doi } }) },
    bearer,
  );
const read = async (path: string, base = '') => {
  const answer = await api.get(`${base}/moderation/${path}`, { bearer: moderator });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return answer;
};
const listOf = async (query = '') => list.parse((await read(`submissions?limit=1000${query}`)).json);
const queueOf = async (query: string) => queue.parse((await read(`queue?limit=1000${query}`)).json);
const submissionOf = async (recordId: number) =>
  z.looseObject({ submissionId: z.int() }).parse((await read(`records/${recordId}`)).json).submissionId;
const tableOf = async (recordId: number) =>
  table.parse((await read(`submissions/${await submissionOf(recordId)}`)).json);
const entryOf = async (recordId: number, query = '') => {
  const id = await submissionOf(recordId);
  return (await listOf(query)).data.find(({ submissionId }) => submissionId === id);
};
const approve = async (recordIds: readonly number[]) =>
  expect((await api.post('/moderation/approve', { recordIds }, { bearer: moderator })).status).toBe(200);
const change = async (id: number, record: object) =>
  expect((await api.put(`/data/update/${id}`, { experimentData: [record] }, { bearer: user })).status).toBe(200);

describe('GET /moderation/submissions', () => {
  test('lists the submissions with a record of the status, longest waiting first', async () => {
    const [first = 0, second = 0] = await send([recipe(10, 100), recipe(20, 300)], user, '10.1234/list');
    const [alone = 0] = await send([recipe(12, 240)]);
    const { data, total, counts: found } = await listOf();
    expect([total, found.all]).toEqual([data.length, data.length]);
    const times = data.map(({ waitingSince }) => waitingSince);
    expect([...times].sort()).toEqual(times);
    expect(await entryOf(first)).toEqual({
      submissionId: await submissionOf(second),
      submittedAt: expect.any(String),
      waitingSince: expect.any(String),
      submitterName: anonymousSubmitter.name,
      ownerAccountId: userId,
      records: { PENDING: 2, APPROVED: 0, REJECTED: 0, NEEDS_UPDATE: 0 },
      warningCount: 0,
      unread: 0,
      answered: false,
      polymers: ['PVA'],
      summary: '10–20 kV · 100–300 nm',
      doi: '10.1234/list',
    });
    const anonymous = await entryOf(alone);
    expect(anonymous).toMatchObject({ summary: 'DMF · 12 kV · 240 nm' });
    expect(anonymous).not.toHaveProperty('ownerAccountId');

    await approve([first]);
    expect((await entryOf(first))?.records).toMatchObject({ PENDING: 1, APPROVED: 1 });
    expect(await entryOf(first, '&status=APPROVED')).toBeDefined();
    await approve([second]);
    expect(await entryOf(first)).toBeUndefined();

    const page = list.parse((await read('submissions?skip=1&limit=2', '/api')).json);
    expect([page.skip, page.limit]).toEqual([1, 2]);
    expect(page.data.length).toBeLessThanOrEqual(2);
  });

  test('counts the kinds of the whole queue, as the queue of records does', async () => {
    const [correction = 0] = await send([recipe(13, 130)], user);
    await approve([correction]);
    await change(correction, recipe(14, 140));
    const [asked = 0] = await send([recipe(15, 150)], user);
    const [warned = 0] = await send([{ ...recipe(16, 160), solutionProperty: { pH: 15 } }]);
    const ask = (text: string, bearer: string) => api.post(`/data/records/${asked}/messages`, { text }, { bearer });
    expect((await ask('Which needle?', moderator)).status).toBe(201);
    expect((await ask('22 G.', user)).status).toBe(201);
    for (const [kind, id] of [
      ['new', asked],
      ['corrections', correction],
      ['answered', asked],
      ['warnings', warned],
      ['anonymous', warned],
      ['all', correction],
    ] as const) {
      const [submissions, records] = [await listOf(`&kind=${kind}`), await queueOf(`&kind=${kind}`)];
      for (const { total, data, counts: found } of [submissions, records]) {
        expect([kind, total, data.length]).toEqual([kind, found[kind], found[kind]]);
      }
      expect(records.data.map(({ recordId }) => recordId)).toContain(id);
      expect(submissions.data.map(({ submissionId }) => submissionId)).toContain(await submissionOf(id));
    }
    expect((await listOf('&kind=new')).data.map(({ submissionId }) => submissionId)).not.toContain(
      await submissionOf(correction),
    );
    expect(await entryOf(asked)).toMatchObject({ unread: 1, answered: true });
    expect((await queueOf('&kind=answered')).data.find(({ recordId }) => recordId === asked)).toMatchObject({
      unread: 1,
      answered: true,
    });
    expect((await ask('Thank you.', moderator)).status).toBe(201);
    expect(await entryOf(asked)).toMatchObject({ unread: 0, answered: false });
    expect(await entryOf(warned)).toMatchObject({ warningCount: 1 });
    // A link to the next page of results has the same filter.
    const { headers } = await read('submissions?limit=1&kind=new');
    expect(headers.get('link')).toMatch(/kind=new.*rel="next"/);
  });

  test('rejects an unknown kind or status', async () => {
    const ask = (path: string) => api.get(`/moderation/${path}`, { bearer: moderator });
    for (const path of ['submissions?kind=old', 'queue?kind=old'])
      expectError(await ask(path), 400, 'INVALID_PARAMETER', /new/);
    expectError(await ask('submissions?status=pending'), 400, 'INVALID_PARAMETER');
  });
});

describe('GET /moderation/submissions/{submissionId}', () => {
  test('shows differing columns first and common values once; an absent value counts as distinct', async () => {
    const { fiberProperty: _, ...withoutDiameter } = recipe(10, 100);
    const ids = await send([recipe(10, 100), recipe(20, 300), withoutDiameter], user, '10.1234/table');
    const { columns, rows, total, ...submission } = await tableOf(ids[0] ?? 0);
    expect(submission).toMatchObject({ submitterName: anonymousSubmitter.name, ownerAccountId: userId });
    expect([total, rows.map(({ recordId }) => recordId)]).toEqual([3, ids]);
    expect(columns).toEqual([
      { column: 'voltage', label: 'Voltage', unit: 'kV', distinct: 2, value: null },
      { column: 'fiber_diameter', label: 'Fiber diameter', unit: 'nm', distinct: 3, value: null },
      { column: 'doi', label: 'DOI of the paper', unit: null, distinct: 1, value: '10.1234/table' },
      { column: 'polymer(s)', label: 'Polymers', unit: null, distinct: 1, value: 'PVA' },
      { column: 'solvent(s)', label: 'Solvents', unit: null, distinct: 1, value: 'DMF' },
    ]);
    expect(rows.map(({ values }) => values)).toEqual([
      { voltage: '10', fiber_diameter: '100' },
      { voltage: '20', fiber_diameter: '300' },
      { voltage: '10' },
    ]);
    expect(rows.map(({ summary }) => summary)).toEqual(['10 kV · 100 nm', '20 kV · 300 nm', '10 kV']);
    expect(rows[0]).toMatchObject({ revision: 1, status: 'PENDING', changed: [], duplicates: [], unread: 0 });
  });

  test('marks warnings, changes of a published record, and duplicates by column and row', async () => {
    const doi = `10.1234/same-${Date.now()}`;
    const [first = 0, second = 0] = await send([recipe(10, 100), recipe(20, 200)], user, doi);
    await approve([first, second]);
    await change(second, { ...recipe(25, 200), researchMetadata: { doi }, solutionProperty: { pH: 15 } });
    const [copy = 0] = await send([recipe(10, 100)], user, doi);
    const { rows } = await tableOf(first);
    expect(rows[0]).toMatchObject({ status: 'APPROVED', publishedRevision: 1, changed: [], duplicates: [copy] });
    expect(rows[1]).toMatchObject({ status: 'PENDING', revision: 2, publishedRevision: 1 });
    expect(rows[1]?.changed).toEqual(['solution_ph', 'voltage']);
    expect(rows[1]?.warnings).toEqual([
      {
        path: 'solutionProperty.pH',
        column: 'solution_ph',
        code: 'PH_OUT_OF_RANGE',
        message: expect.any(String),
        severity: 'high',
      },
    ]);
    const [duplicate] = (await tableOf(copy)).rows;
    expect(duplicate).toMatchObject({ duplicates: [first] });
    expect(duplicate?.warnings).toEqual([
      expect.objectContaining({ path: '', column: null, code: 'LIKELY_DUPLICATE' }),
    ]);
  });

  test('has an entity tag that changes with a decision, and a 304 for the same table', async () => {
    const [id = 0] = await send([recipe(10, 100)]);
    const path = `/moderation/submissions/${await submissionOf(id)}`;
    const tag = (await api.get(path, { bearer: moderator })).headers.get('etag') ?? '';
    const again = () => api.get(path, { bearer: moderator, headers: { 'if-none-match': tag } });
    expect((await again()).status).toBe(304);
    await approve([id]);
    const changed = await again();
    expect([changed.status, changed.headers.get('etag') === tag]).toEqual([200, false]);
  });

  test('of an unknown submission is 404', async () => {
    expectError(await api.get('/moderation/submissions/999999999', { bearer: moderator }), 404, 'SUBMISSION_NOT_FOUND');
  });

  test('returns the table of 1,000 records', async () => {
    const recordIds = await send(
      Array.from({ length: 1_000 }, (_, at) => recipe(10 + (at % 20), 100 + at)),
      user,
    );
    const { json } = await read(`submissions/${await submissionOf(recordIds[0] ?? 0)}`);
    expect(table.parse(json).rows).toHaveLength(1_000);
    // Other test files read the whole queue of this stack.
    const decision = { recordIds, reason: 'Enough.' };
    expect((await api.post('/moderation/reject', decision, { bearer: moderator })).status).toBe(200);
  });
});

describe('a refused decision on many records', () => {
  test.each(['approve', 'reject'])(
    'to %s names each record that changed or was decided, with status and revision',
    async (act) => {
      const ids = await send([recipe(10, 100), recipe(20, 200), recipe(30, 300)], user);
      const [first = 0, second = 0] = ids;
      await change(second, recipe(21, 200));
      const body = { recordIds: ids, revisions: [1, 1, 1], ...(act === 'reject' ? { reason: 'Which paper?' } : {}) };
      const decide = () => api.post(`/moderation/${act}`, body, { bearer: moderator });
      const changed = expectError(await decide(), 409, 'CONFLICT', /1 of 3/);
      const ofSecond = {
        path: 'recordIds[1]',
        code: 'PRECONDITION_FAILED',
        message: expect.any(String),
        recordId: second,
      };
      expect(changed.errors).toEqual([{ ...ofSecond, status: 'PENDING', revision: 2 }]);
      await approve([first]);
      const refused = expectError(await decide(), 409, 'CONFLICT', /2 of 3/);
      expect(refused.errors).toEqual([
        expect.objectContaining({ path: 'recordIds[0]', code: 'CONFLICT', status: 'APPROVED', revision: 1 }),
        { ...ofSecond, status: 'PENDING', revision: 2 },
      ]);
      expect((await tableOf(first)).rows.map(({ status }) => status)).toEqual(['APPROVED', 'PENDING', 'PENDING']);
    },
  );
});
