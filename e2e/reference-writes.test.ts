import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { z } from 'zod';
import { addAccount } from './support/accounts.ts';
import { type Credentials, login, newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { submitRecords, untilPublic } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { page, substanceEntry, substances, unitEntry, units } from './support/shapes.ts';
import { anonymousSubmitter } from '@esd/testing/records';
import { newAddress } from './support/new-address.ts';

let stack: TestStack;
let api: Api;
let admin: { who: Credentials; token: string };
let bearer: { bearer: string };

beforeAll(async () => {
  stack = await leaseStack('replicated');
  api = apiAt(stack.url);
  admin = await newAdmin(stack, api);
  bearer = { bearer: admin.token };
});
afterAll(() => stack.stop());

const PATHS = ['polymers', 'solvents', 'units', 'morphologies', 'instabilities'].map((list) => `/metadata/${list}`);

async function create(list: string, body: object): Promise<Answer> {
  const answer = await api.post(`/metadata/${list}`, body, bearer);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer;
}
const newPolymer = async (name: string, members: object = {}) =>
  substanceEntry.parse((await create('polymers', { name, kind: 'polymer', ...members })).json);

async function replace(list: string, entry: { id: number }, change: object): Promise<Answer> {
  const answer = await api.put(`/metadata/${list}/${entry.id}`, { ...entry, ...change }, bearer);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer;
}

const ofPolymer = (polymerName: string, members: object = {}) => ({
  userMetadata: anonymousSubmitter,
  experimentData: [{ polymerProperty: { polymerComponents: [{ polymerName }] }, ...members }],
});
async function publish(body: object): Promise<number> {
  const [recordId = 0] = await submitRecords(api, body);
  const answer = await api.post(`/moderation/records/${recordId}/approve`, {}, bearer);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  await untilPublic(api, [recordId]);
  return recordId;
}
async function find(filter: object): Promise<number[]> {
  const answer = await api.get(`/public/dataset?filter=${encodeURIComponent(JSON.stringify(filter))}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return page.parse(answer.json).data.map(({ recordId }) => recordId);
}

describe('permission to change a list', () => {
  test('requires a credential and the role ADMIN', async () => {
    const body = { name: 'X' };
    const others: string[] = [];
    for (const role of ['USER', 'MODERATOR'] as const) {
      const { who } = await addAccount(stack, admin.who, newAddress(role.toLowerCase()), role);
      others.push(await login(api, who));
    }
    for (const path of PATHS) {
      expectError(await api.post(path, body), 401, 'AUTH_REQUIRED');
      expectError(await api.put(`${path}/1`, body), 401, 'AUTH_REQUIRED');
      expectError(await api.delete(`${path}/1`), 401, 'AUTH_REQUIRED');
      for (const other of others) {
        expectError(await api.delete(`${path}/1`, { bearer: other }), 403, 'FORBIDDEN', /ADMIN/);
      }
    }
    const [user = ''] = others;
    const entry = { name: 'FORBIDDEN_ONE', kind: 'polymer' };
    expectError(await api.post('/metadata/polymers', entry, { bearer: user }), 403, 'FORBIDDEN');
    expectError(await api.put('/metadata/polymers/1', entry, { bearer: user }), 403, 'FORBIDDEN');
    expectError(await api.get('/admin/metadata/changes', { bearer: user }), 403, 'FORBIDDEN');
    expect((await api.get('/metadata/polymers')).text).not.toContain('FORBIDDEN_ONE');
  });

  test('requires the session of an ADMIN', async () => {
    const made = await api.post('/auth/tokens', { name: 'lists' }, bearer);
    const { token } = z.object({ token: z.string() }).parse(made.json);
    const refused = await api.post('/metadata/polymers', { name: 'BY_TOKEN' }, { bearer: token });
    expectError(refused, 403, 'SESSION_REQUIRED');
    const answer = await api.post('/metadata/polymers', { name: 'BY_SESSION' }, bearer);
    expect([answer.status, answer.json]).toEqual([
      201,
      expect.objectContaining({ name: 'BY_SESSION', kind: 'unknown' }),
    ]);
  });
});

describe('a new entry', () => {
  test('is returned with its position, and the next submissions and filters know it', async () => {
    for (let n = 0; n < 6; n += 1) {
      const name = `FRESH_${n}`;
      const answer = await create('polymers', { name, aliases: [`brand new ${n}`], kind: 'polymer' });
      const { id } = substanceEntry.parse(answer.json);
      expect(answer.headers.get('location')).toBe(`/metadata/polymers/${id}`);
      const submitted = await api.post('/data/submit?validate=only', ofPolymer(`brand  NEW ${n}`));
      expect([n, submitted.status, submitted.text]).toEqual([n, 200, expect.stringContaining('PENDING')]);
      const list = await api.get('/metadata/polymers');
      expect(list.headers.get('etag')).toBe(answer.headers.get('etag'));
      expect(substances.parse(list.json).at(-1)).toEqual({
        id,
        name,
        aliases: [`brand new ${n}`],
        kind: 'polymer',
        displayName: name,
        shortName: name,
      });
      // The newest dataset revision is now that of the change.
      const described = await api.get('/public/dataset/metadata');
      expect([n, described.status, described.text]).toEqual([n, 200, expect.stringContaining('datePublished')]);
    }
    const recordId = await publish(ofPolymer('fresh_1'));
    expect(await find({ polymer: 'brand new 1' })).toEqual([recordId]);
  });

  test('in every list', async () => {
    const label = { label: 'Zigzag', category: 'shape', definition: 'Back and forth.', synonyms: ['zig-zag'] };
    const answers = [
      await create('solvents', { name: 'NEW_SOLVENT', kind: 'solvent', casNumber: '50-00-0' }),
      await create('units', { unit: 'dg', name: 'decigram', dimension: 'mass', factor: 100, aliases: ['deci'] }),
      await create('morphologies', { ...label, abbreviation: 'ZZ' }),
      await create('instabilities', { ...label, category: 'JET' }),
    ];
    expect(answers.map(({ json }) => json)).toMatchObject([
      { name: 'NEW_SOLVENT', casNumber: '50-00-0' },
      { unit: 'dg', canonical: 'mg', offset: 0 },
      { label: 'Zigzag', category: 'Shape', abbreviation: 'ZZ' },
      { label: 'Zigzag', category: 'Jet' },
    ]);
    const submitted = await api.post('/data/submit?validate=only', {
      userMetadata: anonymousSubmitter,
      experimentData: [
        {
          polymerProperty: { polymerComponents: [{ polymerName: 'PVA', polymerWeight: 1, polymerWeightUnit: 'deci' }] },
          solventProperty: { solventComponents: [{ solventName: 'new_solvent' }] },
          fiberProperty: { fiberMorphology: ['zz'] },
          processParameter: { instability: ['zigzag'] },
        },
      ],
    });
    expect([submitted.status, submitted.text]).toEqual([200, expect.any(String)]);
    const found = await api.get('/metadata/solvents/search?cas=50-00-0');
    expect(found.json).toMatchObject({ name: 'NEW_SOLVENT' });
  });
});

test('derived members of an entry are ignored, and a renamed solvent keeps its properties', async () => {
  const listOf = async () => substances.parse((await api.get('/metadata/solvents')).json);
  const pyridine = (await listOf()).find(({ name }) => name === 'PYRIDINE');
  if (!pyridine) throw new Error('no PYRIDINE');
  const made = await create('solvents', { name: 'PYRIDINE_GRADE', kind: 'solvent', sameAs: 'PYRIDINE' });
  expect(made.json).toMatchObject({ displayName: 'PYRIDINE_GRADE', properties: pyridine.properties });
  const derived = { displayName: 'no', shortName: 7, properties: [{ property: 'boilingPoint', value: 1 }] };
  const renamed = await replace('solvents', pyridine, { ...derived, name: 'AZINE' });
  expect(renamed.json).toEqual({ ...pyridine, name: 'AZINE' });
  const ofGrade = (await listOf()).find(({ name }) => name === 'PYRIDINE_GRADE');
  expect(ofGrade?.properties).toEqual(pyridine.properties);
  const solventProperty = { solventComponents: [{ solventName: 'azine' }] };
  const recordId = await publish(ofPolymer('PVA', { solventProperty }));
  const { normalized } = z
    .object({ normalized: z.record(z.string(), z.number()) })
    .parse((await api.get(`/public/dataset/records/${recordId}`)).json);
  expect(normalized).toMatchObject({ solventBoilingPoint: 115.2, solventDielectricConstant: 13.26 });
});

describe('an invalid change is rejected with all its problems', () => {
  const wrong = async (list: string, body: object, id?: number) => {
    const answer = await (id === undefined
      ? api.post(`/metadata/${list}`, body, bearer)
      : api.put(`/metadata/${list}/${id}`, body, bearer));
    return expectError(answer, 400, 'VALIDATION_FAILED').errors?.map(({ path, code }) => `${path} ${code}`);
  };

  test('unknown members, and members of the wrong kind', async () => {
    expect(await wrong('polymers', { nam: 'x', aliases: 'y', retired: 1 })).toEqual([
      'name MISSING_VALUE',
      'aliases WRONG_TYPE',
      'retired WRONG_TYPE',
      'nam UNKNOWN_MEMBER',
    ]);
    expect(await wrong('polymers', { id: 7, name: 'x' })).toEqual(['id UNKNOWN_MEMBER']);
    expect(await wrong('units', { unit: 'x', name: 'x', dimension: 'mass', factor: '1' })).toEqual([
      'factor WRONG_TYPE',
    ]);
  });

  test('values that no list can contain', async () => {
    expect(
      await wrong('polymers', {
        name: 'A\u0001',
        casNumber: '9002-89-6',
        kind: 'fiber',
        aliases: ['x'.repeat(201), 'pvoh', 'PEI'],
        sameAs: 'NO_SUCH',
      }),
    ).toEqual([
      'name INVALID_TEXT',
      'casNumber INVALID_FORMAT',
      'kind INVALID_FORMAT',
      'aliases[0] TOO_LONG',
      'sameAs INVALID_FORMAT',
      'aliases[1] NAME_TAKEN',
      'aliases[2] AMBIGUOUS_NAME',
    ]);
  });

  test('another factor, and another id', async () => {
    const volt = units.parse((await api.get('/metadata/units')).json).find(({ unit }) => unit === 'V');
    if (!volt) throw new Error('there are volts');
    const { id } = volt;
    expect(await wrong('units', { ...volt, factor: 1, offset: 1, dimension: 'mass' }, id)).toEqual([
      'dimension NOT_CHANGEABLE',
      'factor NOT_CHANGEABLE',
      'offset NOT_CHANGEABLE',
    ]);
    expect(await wrong('units', { ...volt, id: id + 1 }, id)).toEqual(['id NOT_CHANGEABLE']);
    expect(unitEntry.parse((await replace('units', volt, {})).json)).toEqual(volt);
  });

  test('an unknown entry', async () => {
    const body = { name: 'NOWHERE' };
    expectError(await api.put('/metadata/polymers/99999', body, bearer), 404, 'ENTRY_NOT_FOUND', /99999/);
    expectError(await api.delete('/metadata/units/99999', bearer), 404, 'ENTRY_NOT_FOUND', /99999/);
    expectError(await api.delete('/metadata/units/kV', bearer), 400, 'INVALID_PARAMETER', /kV/);
    expectError(await api.put('/metadata/polymers/search', body, bearer), 405, 'METHOD_NOT_ALLOWED');
    expectError(await api.post('/metadata/polymers/1', body, bearer), 405, 'METHOD_NOT_ALLOWED');
    expectError(await api.post('/metadata/categories', body, bearer), 404, 'ROUTE_NOT_FOUND');
  });
});

describe('an entry in use', () => {
  test('is renamed: records preserve their text, and both names are found and can be submitted', async () => {
    const made = await newPolymer('FIRST_NAME', { fullName: 'Poly(something)' });
    const recordId = await publish(ofPolymer('FIRST_NAME'));
    const tag = (await api.get('/public/dataset')).headers.get('etag') ?? '';
    const answer = await replace('polymers', made, { name: 'SECOND_NAME' });
    expect(answer.json).toMatchObject({ id: made.id, name: 'SECOND_NAME', aliases: ['FIRST_NAME'] });
    for (const polymer of ['first_name', 'second_name']) expect(await find({ polymer })).toEqual([recordId]);
    const body = await api.get('/public/dataset?limit=1000', { headers: { 'If-None-Match': tag } });
    expect([body.status, body.text]).toEqual([200, expect.stringContaining('"polymerName":"FIRST_NAME"')]);
    // Every replica of submission-svc reads the list again within seconds.
    const { id } = await eventually(
      async () => {
        const [id = 0] = await submitRecords(api, ofPolymer('first_name'));
        return { id, text: (await api.get(`/moderation/records/${id}`, bearer)).text };
      },
      ({ text }) => text.includes('"polymerName":"SECOND_NAME"'),
    );
    expect((await api.post(`/moderation/records/${id}/approve`, {}, bearer)).status).toBe(200);
    await untilPublic(api, [id]);
    expect((await api.get('/public/dataset?limit=1000')).text).toContain('"polymerName":"SECOND_NAME"');
  });

  test('is not deleted; it can be retired', async () => {
    const made = await newPolymer('RETIRING', { aliases: ['leaving'] });
    const recordId = await publish(ofPolymer('RETIRING'));
    const [own = 0] = await submitRecords(api, ofPolymer('RETIRING'), admin.token);
    const refused = await api.delete(`/metadata/polymers/${made.id}`, bearer);
    expectError(refused, 409, 'CONFLICT', /"RETIRING" is used by 2 records; .*"retired": true/);
    const answer = await replace('polymers', made, { retired: true, sameAs: 'PCL' });
    expect(answer.json).toMatchObject({ retired: true, sameAs: 'PCL' });
    expect(await find({ polymer: 'retiring' })).toEqual([recordId]);
    // Every replica of the other services reads it soon.
    const fourTimes = () =>
      Promise.all([1, 2, 3, 4].map(() => api.post('/data/submit?validate=only', ofPolymer('leaving'))));
    for (const submitted of await eventually(fourTimes, (all) => all.every(({ status }) => status !== 200))) {
      const { errors } = expectError(submitted, 400, 'VALIDATION_FAILED');
      expect(errors).toMatchObject([{ code: 'RETIRED_NAME', message: expect.stringContaining('"PCL"') }]);
    }
    // The current entry can be sent back.
    const same = await api.put(
      `/data/update/${own}`,
      ofPolymer('RETIRING', { processParameter: { voltage: 3 } }),
      bearer,
    );
    expect([same.status, same.text]).toEqual([200, expect.stringContaining('"RETIRED_NAME"')]);
    // It is available for the next request that needs it.
    await replace('polymers', { ...made }, {});
    for (let n = 0; n < 4; n += 1) {
      const again = await api.post('/data/submit?validate=only', ofPolymer('leaving'));
      expect([again.status, again.text]).toEqual([200, expect.any(String)]);
    }
  });
});

test('an entry that only a waiting record contains is in use, in every list', async () => {
  const label = { definition: 'Of a test.', category: 'Shape' };
  const made = [
    ['polymers', await create('polymers', { name: 'WAITING_P' })],
    ['solvents', await create('solvents', { name: 'WAITING_S' })],
    ['units', await create('units', { unit: 'wkV', name: 'waiting kilovolt', dimension: 'voltage', factor: 3 })],
    ['morphologies', await create('morphologies', { ...label, label: 'Waiting shape' })],
    ['instabilities', await create('instabilities', { ...label, category: 'Jet', label: 'Waiting jet' })],
  ] as const;
  const body = ofPolymer('WAITING_P', {
    solventProperty: { solventComponents: [{ solventName: 'WAITING_S' }] },
    processParameter: { voltage: 1, voltageUnit: 'wkV', instability: ['Waiting jet'] },
    fiberProperty: { fiberMorphology: ['Waiting shape'] },
  });
  const [recordId = 0] = await submitRecords(api, body);
  const { id } = substanceEntry.parse(made[0][1].json);
  await replace('polymers', { id }, { name: 'WAITING_P2' });
  for (const [list, answer] of made) {
    const { id } = z.looseObject({ id: z.int() }).parse(answer.json);
    const refused = await api.delete(`/metadata/${list}/${id}`, bearer);
    expectError(refused, 409, 'CONFLICT', /is used by 1 record; retire it instead with `"retired": true`/);
  }
  // The rejected change can be sent again.
  await api.post(`/moderation/records/${recordId}/reject`, { reason: 'A test.' }, bearer);
  expectError(await api.delete(`/metadata/polymers/${id}`, bearer), 409, 'CONFLICT', /WAITING_P2/);
});

test('an unused entry is deleted, and its name is free', async () => {
  const made = await newPolymer('MISTAKE');
  const answer = await api.delete(`/metadata/polymers/${made.id}`, bearer);
  expect([answer.status, answer.json]).toEqual([200, { success: true, message: expect.any(String) }]);
  expect((await api.get('/metadata/polymers')).text).not.toContain('MISTAKE');
  expectError(await api.delete(`/metadata/polymers/${made.id}`, bearer), 404, 'ENTRY_NOT_FOUND');
  const again = await newPolymer('MISTAKE');
  expect(again.id).toBe(made.id + 1);
});

test('If-Match: a list that another administrator has changed stays unchanged', async () => {
  const path = '/metadata/polymers';
  const tag = (await api.get(path)).headers.get('etag') ?? '';
  const withTag = (ifMatch: string) => ({ ...bearer, headers: { 'If-Match': ifMatch } });
  const first = await api.post(path, { name: 'CONDITIONAL' }, withTag(tag));
  const { id } = substanceEntry.parse(first.json);
  const newer = first.headers.get('etag') ?? '';
  expect([first.status, newer]).not.toEqual([201, tag]);
  for (const outdated of [tag, '"other"', tag.replace('polymers', 'solvents')]) {
    expectError(await api.post(path, { name: 'LATE' }, withTag(outdated)), 412, 'PRECONDITION_FAILED');
    expectError(await api.put(`${path}/${id}`, { name: 'LATE' }, withTag(outdated)), 412, 'PRECONDITION_FAILED');
    expectError(await api.delete(`${path}/${id}`, withTag(outdated)), 412, 'PRECONDITION_FAILED');
  }
  expectError(await api.delete(`${path}/${id}`, withTag('no tag')), 400, 'INVALID_PARAMETER', /If-Match/);
  expect((await api.put(`${path}/${id}`, { name: 'CONDITIONAL' }, withTag(`"x", ${newer}`))).status).toBe(200);
  expect((await api.delete(`${path}/${id}`, withTag('*'))).status).toBe(200);
  expect((await api.get(path, { headers: { 'If-None-Match': newer } })).status).toBe(200);
});

test('of many simultaneous changes, none is lost and each has its own state', async () => {
  const names = Array.from({ length: 8 }, (_, n) => `AT_ONCE_${n}`);
  const answers = await Promise.all(names.map((name) => create('polymers', { name })));
  expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(names.length);
  const listed = substances.parse((await api.get('/metadata/polymers')).json).map(({ name }) => name);
  expect(listed.filter((name) => name.startsWith('AT_ONCE_')).sort()).toEqual(names);
});

test('changes are recorded with their actor, newest first', async () => {
  const made = await newPolymer('TRACED');
  await replace('polymers', made, { kind: 'drug' });
  await api.delete(`/metadata/polymers/${made.id}`, bearer);
  const answer = await api.get(`/admin/metadata/changes?list=polymers&entryId=${made.id}&limit=2`, bearer);
  expect(answer.headers.get('link')).toContain('rel="next"');
  expect(answer.json).toMatchObject({
    total: 3,
    skip: 0,
    limit: 2,
    data: [
      { action: 'delete', list: 'polymers', entryId: made.id, before: { name: 'TRACED', kind: 'drug' } },
      { action: 'replace', before: { kind: 'polymer' }, after: { kind: 'drug' }, accountId: expect.any(String) },
    ],
  });
  expectError(await api.get('/admin/metadata/changes?list=colors', bearer), 400, 'INVALID_PARAMETER', /colors/);
});
