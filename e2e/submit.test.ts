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

test('GET /data/statuses lists the four statuses without an account', async () => {
  for (const base of ['', '/api']) {
    const answer = await api.get(`${base}/data/statuses`, { bearer: 'not-a-token' });
    expect([answer.status, answer.json]).toEqual([200, ['PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE']]);
  }
  expectError(await api.get('/data/statuses?status=PENDING'), 400, 'INVALID_PARAMETER', /"status"/);
});

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

  test.each([
    [undefined, ['userMetadata.name', 'userMetadata.email', 'userMetadata.consentTerms']],
    [null, ['userMetadata.name', 'userMetadata.email', 'userMetadata.consentTerms']],
    [{}, ['userMetadata.name', 'userMetadata.email', 'userMetadata.consentTerms']],
    [{ ...anonymousSubmitter, name: '  ' }, ['userMetadata.name']],
    [{ name: 'Ada', consentTerms: true }, ['userMetadata.email']],
    [{ ...anonymousSubmitter, email: 'ada' }, ['userMetadata.email']],
    [{ ...anonymousSubmitter, consentTerms: false }, ['userMetadata.consentTerms']],
    [{ name: 'Ada', email: 'ada@example.org' }, ['userMetadata.consentTerms']],
    [{ ...anonymousSubmitter, orcid: '0000-0002-1825-0098' }, ['userMetadata.orcid']],
  ])('needs the submitter: %j is not enough', async (userMetadata, paths) => {
    const answer = await api.post('/data/submit', { userMetadata, experimentData: [smallRecord] });
    const { errors, errorCount } = expectError(answer, 400, 'VALIDATION_FAILED');
    expect(errors?.map(({ path }) => path)).toEqual(paths);
    expect(errorCount).toBe(paths.length);
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

  test('must accept the terms too', async () => {
    const body = { userMetadata: { consentTerms: false }, experimentData: [smallRecord] };
    const { errors } = expectError(await api.post('/data/submit', body, { bearer: token }), 400, 'VALIDATION_FAILED');
    expect(errors).toEqual([expect.objectContaining({ path: 'userMetadata.consentTerms', code: 'CONSENT_REQUIRED' })]);
  });

  test.each(['Bearer not-a-token', 'Bearer', 'Basic YWRhOmFkYQ==', 'Bearer esd_pat_0', ''])(
    'with a bad credential ("%s") is rejected, never treated as anonymous',
    async (authorization) => {
      const before = (await ownIds()).length;
      // The body has everything that an anonymous submission needs.
      const answer = await api.post('/data/submit', smallSubmission(), { headers: { authorization } });
      expectError(answer, 401, 'TOKEN_INVALID');
      expect((await ownIds()).length).toBe(before);
    },
  );
});

describe('mandatory fields', () => {
  const solvent = { solventProperty: { solventComponents: [{ solventName: 'WATER' }, { weight: 1 }] } };
  const POLYMER = 'polymerProperty';
  const POLYMER_NAME = 'polymerProperty.polymerComponents[].polymerName';
  const SOLVENT_NAME = 'solventProperty.solventComponents[].solventName';

  test.each([
    [[{ processParameter: { voltage: 10 } }], [POLYMER]],
    [[{ polymerProperty: {} }], [POLYMER_NAME]],
    [[{ polymerProperty: { polymerComponents: [] } }], [POLYMER_NAME]],
    [[{ polymerProperty: { polymerComponents: [{}] } }], [POLYMER_NAME]],
    [[{ polymerProperty: { polymerComponents: [{ polymerName: '  ' }] } }], [POLYMER_NAME]],
    [[{ polymerProperty: { polymerComponents: [{ weightRatio: 50 }] } }], [POLYMER_NAME]],
    [[{ ...smallRecord, ...solvent }], [SOLVENT_NAME]],
    [[solvent], [POLYMER, SOLVENT_NAME]],
    [
      [smallRecord, {}, solvent],
      [POLYMER, SOLVENT_NAME],
    ],
  ])('%j: %j', async (experimentData, missingFields) => {
    const before = (await ownIds()).length;
    const calls = [
      api.post('/data/submit', { userMetadata: anonymousSubmitter, experimentData }),
      api.post('/data/submit', { experimentData }, { bearer: token }),
    ];
    for (const answer of await Promise.all(calls)) {
      const body = expectError(answer, 400, 'MISSING_FIELDS');
      expect(body.missingFields).toEqual(missingFields);
      for (const path of missingFields) expect(body.message).toContain(path);
      for (const { path } of body.errors ?? []) expect(path).toMatch(/^experimentData\[\d\]\./);
    }
    expect((await ownIds()).length).toBe(before);
  });
});

describe('warnings', () => {
  test.each([
    [
      'RATIO_SUM',
      {
        polymerProperty: {
          polymerComponents: [
            { polymerName: 'PVA', weightRatio: 50, weightRatioUnit: '%' },
            { polymerName: 'PEO', weightRatio: 40, weightRatioUnit: '%' },
          ],
        },
      },
    ],
    ['PH_OUT_OF_RANGE', { ...smallRecord, solutionProperty: { pH: 15 } }],
    ['LEGACY_NAME', { ...smallRecord, solventProperty: { solventComponents: [{ solventName: 'AC' }] } }],
  ])('%s is reported and rejects nothing', async (code, record) => {
    const answer = await api.post('/data/submit', { userMetadata: anonymousSubmitter, experimentData: [record] });
    expect(answer.status).toBe(201);
    const [outcome] = submission.parse(answer.json).records;
    expect(outcome).toMatchObject({ status: 'PENDING', warnings: [{ code }] });
  });
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

  test('by status returns a part of them', async () => {
    await api.post('/data/submit', { experimentData: [smallRecord] }, { bearer: token });
    expect(await ownIds('?status=PENDING')).toEqual(await ownIds());
    for (const status of ['APPROVED', 'REJECTED', 'NEEDS_UPDATE'])
      expect(await ownIds(`?status=${status}`)).toEqual([]);
  });

  test.each([
    ['status=PUBLISHED', /PENDING.*APPROVED.*REJECTED.*NEEDS_UPDATE.*"PUBLISHED"/],
    ['status=pending', /PENDING.*"pending"/],
    ['status=', /`status`.*PENDING/],
    ['status=PENDING&status=APPROVED', /more than once/],
    ['state=PENDING', /"state".*status/],
  ])('%s is rejected', async (query, message) => {
    const answer = await api.get(`/data/my-records/ids?${query}`, { bearer: token });
    expectError(answer, 400, 'INVALID_PARAMETER', message);
  });
});

test('POST /data/submit rejects unknown query parameters', async () => {
  const before = (await ownIds()).length;
  const answer = await api.post('/data/submit?dryRun=true', { experimentData: [smallRecord] }, { bearer: token });
  expectError(answer, 400, 'INVALID_PARAMETER', /"dryRun"/);
  expect((await ownIds()).length).toBe(before);
});
