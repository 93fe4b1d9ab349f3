import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { newContributor } from './support/accounts.ts';
import { expectError } from './support/errors.ts';
import { ids, page, submission } from './support/shapes.ts';
import { smallRecord, smallSubmission, anonymousSubmitter } from '@esd/testing/records';

const stack = await sharedStack();
const api = apiAt(stack.url);

let token: string;
beforeAll(async () => {
  ({ token } = await newContributor(api, stack.dataDir));
});

const ownIds = async (query = '') => ids.parse((await api.get(`/data/my-records/ids${query}`, { bearer: token })).json);

describe('POST /data/submit without an account', () => {
  test('is stored, awaits review, and is not public', async () => {
    const { total } = page.parse((await api.get('/public/dataset?limit=1')).json);
    for (const base of ['', '/api']) {
      const answer = await api.post(`${base}/data/submit`, smallSubmission(3));
      expect(answer.status).toBe(201);
      const outcome = submission.parse(answer.json);
      expect(answer.headers.get('location')).toBe(`${base}/data/submission/${outcome.submissionId}`);
      expect(outcome.records).toHaveLength(3);
      const [first = { recordId: 0 }] = outcome.records;
      expect(outcome.records).toEqual(
        [0, 1, 2].map((index) => ({
          recordId: first.recordId + index,
          status: 'PENDING',
          missingFields: [],
          warnings: [],
        })),
      );
      expect(await ownIds()).not.toContain(first.recordId);
    }
    expect(page.parse((await api.get('/public/dataset?limit=1')).json).total).toBe(total);
  });

  test('accepts every member of userMetadata', async () => {
    const userMetadata = {
      ...anonymousSubmitter,
      role: 'PhD student',
      lab: 'Fiber Lab',
      affiliation: 'University of Example',
      country: 'Germany',
      orcid: '0000-0002-1825-0097',
      showPublicly: true,
    };
    const answer = await api.post('/data/submit', { userMetadata, experimentData: [smallRecord], imageOnly: false });
    expect(answer.status).toBe(201);
  });
});

describe('POST /data/submit in a session', () => {
  test('needs no submitter, and belongs to the account', async () => {
    const before = await ownIds();
    const outcomes = [
      await api.post('/data/submit', { experimentData: [smallRecord] }, { bearer: token }),
      await api.post(
        '/data/submit',
        { userMetadata: { lab: 'Fiber Lab' }, experimentData: [smallRecord] },
        { bearer: token },
      ),
    ];
    const made = outcomes.map((answer) => {
      expect(answer.status).toBe(201);
      return submission.parse(answer.json).records[0]?.recordId;
    });
    const after = await ownIds();
    expect(after.filter((id) => !before.includes(id))).toEqual(made);
  });
});

test('a submission that lacks the submitter, the terms or a mandatory field is refused, and nothing is stored', async () => {
  const before = (await ownIds()).length;
  const paths = async (body: object, code: string, bearer?: string) =>
    expectError(await api.post('/data/submit', body, bearer === undefined ? {} : { bearer }), 400, code).errors?.map(
      ({ path }) => path,
    );
  const unnamed = { experimentData: [smallRecord] };
  const missing = ['userMetadata.name', 'userMetadata.email', 'userMetadata.consentTerms'];
  expect(await paths(unnamed, 'VALIDATION_FAILED')).toEqual(missing);
  const withoutTerms = { ...unnamed, userMetadata: { consentTerms: false } };
  expect(await paths(withoutTerms, 'VALIDATION_FAILED', token)).toEqual(['userMetadata.consentTerms']);
  const incomplete = { userMetadata: anonymousSubmitter, experimentData: [smallRecord, {}] };
  for (const bearer of [undefined, token])
    expect(await paths(incomplete, 'MISSING_FIELDS', bearer)).toEqual(['experimentData[1].polymerProperty']);
  expect((await ownIds()).length).toBe(before);
});

test('a warning is reported and rejects nothing', async () => {
  const experimentData = [{ ...smallRecord, solutionProperty: { pH: 15 } }];
  const answer = await api.post('/data/submit', { userMetadata: anonymousSubmitter, experimentData });
  expect(answer.status).toBe(201);
  const [outcome] = submission.parse(answer.json).records;
  expect(outcome).toMatchObject({ status: 'PENDING', warnings: [{ code: 'PH_OUT_OF_RANGE' }] });
});

describe('GET /data/my-records/ids', () => {
  test('is a bare array, ascending, not cached', async () => {
    for (const base of ['', '/api']) {
      const answer = await api.get(`${base}/data/my-records/ids`, { bearer: token });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const own = ids.parse(answer.json);
      expect(own.length).toBeGreaterThan(1);
      expect(own).toEqual([...new Set(own)].sort((a, b) => a - b));
    }
  });
});
