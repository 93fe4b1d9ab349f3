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
import { bulkReview, ids, reviewedRecord } from './support/shapes.ts';
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

interface Call {
  body?: object | string;
  headers?: Record<string, string>;
  base?: string;
}

const ifMatch = (tags: string): Call => ({ headers: { 'if-match': tags } });
const approve = (id: number | string, { body = '', headers = {}, base = '' }: Call = {}): Promise<Answer> =>
  api.post(`${base}/moderation/records/${id}/approve`, body, { bearer: token, headers });
const approveMany = (body: object): Promise<Answer> => api.post('/moderation/approve', body, { bearer: token });
const pending = async () => ids.parse((await api.get('/data/my-records/ids?status=PENDING', { bearer: token })).json);
const submitOwn = (count = 1) => submitRecords(api, smallSubmission(count), token);

describe('POST /moderation/records/{id}/approve', () => {
  test('publishes the record', async () => {
    for (const base of ['', '/api']) {
      const tag = (await api.get('/public/dataset')).headers.get('etag') ?? '';
      const [id = 0] = await submitOwn();
      const answer = await approve(id, { base });
      expect(answer.status).toBe(200);
      expect(reviewedRecord.parse(answer.json)).toEqual({ recordId: id, status: 'APPROVED', revision: 1 });
      expect(answer.headers.get('etag')).toBe(`"${id}-1"`);
      await untilPublic(api, [id]);
      const newer = await api.get('/public/dataset', { headers: { 'if-none-match': tag } });
      expect([newer.status, newer.headers.get('etag') === tag]).toEqual([200, false]);
    }
  });

  test('works once: the record is then no longer pending', async () => {
    const [id = 0] = await submitOwn();
    expect((await approve(id)).status).toBe(200);
    expectError(await approve(id), 409, 'CONFLICT', new RegExp(`${id}.*APPROVED.*PENDING`));
  });

  test.each(['9007199254740991', '1000000'])('finds no record %s', async (id) => {
    expectError(await approve(id), 404, 'RECORD_NOT_FOUND', new RegExp(id));
  });

  test.each(['0', '-1', '1.5', 'abc', '1e3', '99999999999999999999', '%31%00', ' 1'])(
    '"%s" is not a record id',
    async (id) => {
      const code = id.includes('%00') ? 'INVALID_REQUEST' : 'INVALID_PARAMETER';
      expectError(await approve(id), 400, code);
    },
  );

  test.each<[string, (id: number) => Call]>([
    ['the tag in If-Match', (id) => ifMatch(`"${id}-1"`)],
    ['the tag in If-Match, in its weak form', (id) => ifMatch(`W/"${id}-1"`)],
    ['the tag in a list', (id) => ifMatch(`"${id}-2", "${id}-1"`)],
    ['If-Match *', () => ifMatch('*')],
    ['a body with the revision', () => ({ body: { revision: 1 } })],
    ['both', (id) => ({ body: { revision: 1 }, ...ifMatch(`"${id}-1"`) })],
    ['an empty object', () => ({ body: {} })],
  ])('accepts %s', async (_, call) => {
    const [id = 0] = await submitOwn();
    const answer = await approve(id, call(id));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('APPROVED')]);
  });

  test.each<[string, number, string, Call]>([
    ['another tag in If-Match', 412, 'PRECONDITION_FAILED', ifMatch('"x", "0-1"')],
    ['another revision in the body', 412, 'PRECONDITION_FAILED', { body: { revision: 2 } }],
    ['If-Match without quotes', 400, 'INVALID_PARAMETER', ifMatch('1-1')],
    ['two revisions, one of them wrong', 412, 'PRECONDITION_FAILED', { body: { revision: 1 }, ...ifMatch('"1-2"') }],
    ['a revision 0', 400, 'VALIDATION_FAILED', { body: { revision: 0 } }],
    ['a revision in quotes', 400, 'VALIDATION_FAILED', { body: { revision: '1' } }],
    ['a mistyped member', 400, 'VALIDATION_FAILED', { body: { revison: 1 } }],
    ['broken JSON', 400, 'INVALID_REQUEST', { body: '{"revision":', headers: { 'content-type': 'application/json' } }],
  ])('rejects %s and leaves the record unchanged', async (_, status, code, call) => {
    const [id = 0] = await submitOwn();
    expectError(await approve(id, call), status, code);
    expect(await pending()).toContain(id);
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

  test('returns the records in the order of the request', async () => {
    const [first = 0, second = 0, third = 0] = await submitOwn(3);
    const order = [third, first, second];
    const answer = bulkReview.parse((await approveMany({ recordIds: order })).json);
    expect(answer.records.map(({ recordId }) => recordId)).toEqual(order);
    const all = await eventually(
      () => readAll(api),
      (records) => order.every((id) => records.some(({ recordId }) => recordId === id)),
    );
    const published = all.map(({ recordId }) => recordId);
    expect(published).toEqual([...published].sort((a, b) => a - b));
  });

  test('approves all or none, and lists all conflicting records', async () => {
    const [done = 0, fresh = 0, stale = 0] = await submitOwn(3);
    await approve(done);
    const answer = await approveMany({ recordIds: [fresh, done, 999_999, stale], revisions: [1, 1, 1, 7] });
    const { errors, errorCount } = expectError(answer, 409, 'CONFLICT', /3 of 4/);
    expect(errorCount).toBe(3);
    expect(errors).toEqual([
      expect.objectContaining({ path: 'recordIds[1]', code: 'CONFLICT', recordId: done, status: 'APPROVED' }),
      expect.objectContaining({ path: 'recordIds[2]', code: 'RECORD_NOT_FOUND', recordId: 999_999 }),
      expect.objectContaining({
        path: 'recordIds[3]',
        code: 'PRECONDITION_FAILED',
        recordId: stale,
        status: 'PENDING',
      }),
    ]);
    expect(errors?.[1]).not.toHaveProperty('status');
    expect(await pending()).toEqual(expect.arrayContaining([fresh, stale]));
  });

  test.each<[string, object, string]>([
    ['nothing', {}, 'recordIds'],
    ['an empty list', { recordIds: [] }, 'recordIds'],
    ['1,001 records', { recordIds: Array.from({ length: 1_001 }, (_, index) => index + 1) }, 'recordIds'],
    ['a duplicate record', { recordIds: [1, 2, 1] }, 'recordIds[2]'],
    ['an id of 0', { recordIds: [1, 0] }, 'recordIds[1]'],
    ['an id in quotes', { recordIds: ['1'] }, 'recordIds[0]'],
    ['an id with decimals', { recordIds: [1.5] }, 'recordIds[0]'],
    ['a list that is not an array', { recordIds: 1 }, 'recordIds'],
    ['too few revisions', { recordIds: [1, 2], revisions: [1] }, 'revisions'],
    ['a mistyped member', { recordIds: [1], revision: [1] }, 'revision'],
  ])('rejects %s with the path', async (_, body, path) => {
    const { errors } = expectError(await approveMany(body), 400, 'VALIDATION_FAILED');
    expect(errors?.map((error) => error.path)).toContain(path);
  });
});

describe('two simultaneous reviewers', () => {
  test('one succeeds, the other gets a conflict', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [id = 0] = await submitOwn();
      const answers = await Promise.all([approve(id), approve(id), approveMany({ recordIds: [id] })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      await untilPublic(api, [id]);
    }
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

  test('accepts older spellings, and prefers the metadata of an item to those of the submission', async () => {
    const body = {
      userMetadata: anonymousSubmitter,
      researchMetadata: { doi: '10.1000/submission', publicationTitle: 'Of the submission' },
      experimentData: [
        {
          researchMetadata: { doi: '10.1000/item' },
          polymerProperty: { polymerComponents: [{ polymerName: ' polyvinyl alcohol ' }] },
          solutionProperty: { solutionViscosity: 5, solutionViscosityUnit: 'mPa.s', PH: 7, solutionConductivity: 1 },
          mechanicalProperty: { tensile_strength: 3, tensile_strength_unit: 'Mpa', modulus: null },
          // Members of an earlier response.
          recordId: 5,
          experimentId: 5,
          status: 'APPROVED',
          missingFields: [],
        },
        { polymerProperty: { polymerComponents: [{ polymerName: 'PVOH' }] } },
      ],
    };
    const made = await submitRecords(api, body);
    expect((await approveMany({ recordIds: made })).status).toBe(200);
    const all = await eventually(
      () => readAll(api),
      (records) => made.every((id) => records.some(({ recordId }) => recordId === id)),
    );
    const [first, second] = made.map((id) => all.find(({ recordId }) => recordId === id));
    expect(first).toEqual({
      recordId: made[0],
      experimentId: made[0],
      researchMetadata: { publicationTitle: 'Of the submission', doi: '10.1000/item' },
      polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
      solutionProperty: { viscosity: 5, viscosityUnit: 'mPa·s', conductivity: 1, pH: 7 },
      mechanicalProperty: { tensileStrength: 3, tensileStrengthUnit: 'MPa' },
    });
    expect(second).toEqual({
      recordId: made[1],
      experimentId: made[1],
      researchMetadata: { publicationTitle: 'Of the submission', doi: '10.1000/submission' },
      polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
    });
  });
});
