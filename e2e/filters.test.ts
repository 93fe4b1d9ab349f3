import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { z } from 'zod';
import { apiAt } from './support/api.ts';
import { csvTable } from './support/csv-table.ts';
import { expectError } from './support/errors.ts';
import { linkTargets } from './support/link-header.ts';
import { page as pageShape } from './support/shapes.ts';

const api = apiAt((await sharedStack()).url);

type Page = z.output<typeof pageShape>;
type PublicRecord = Page['data'][number];

const queryOf = (filter: object | string): string =>
  `filter=${encodeURIComponent(typeof filter === 'string' ? filter : JSON.stringify(filter))}`;

async function readPage(query: string): Promise<Page> {
  const answer = await api.get(`/public/dataset?${query}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return pageShape.parse(answer.json);
}

let whole: PublicRecord[];
beforeAll(async () => {
  whole = (await readPage('limit=1000')).data;
  expect(whole).toHaveLength(809);
});

describe('a filter matches exactly the records that it describes', () => {
  // The tests of the record library count the matches of each kind of condition.
  test.each<[name: string, filter: object, count: number]>([
    ['several keys together', { polymer: 'PVDF', collectorType: 'rotating', fiberDiameterMax: 500 }, 87],
    ['a DOI in another spelling', { doi: 'DOI:10.1016/J.JAFR.2019.100015' }, 15],
    ['a kind of collector in another spelling', { collectorType: 'drum' }, 265],
    ['a bound as text', { humidityMin: '50' }, 73],
    ['no record', { status: 'REJECTED' }, 0],
    ['every record', { status: 'PUBLISHED' }, 809],
  ])('%s', async (_, filter, count) => {
    const page = await readPage(`limit=1000&${queryOf(filter)}`);
    expect([page.total, page.data.length]).toEqual([count, count]);
    const ids = page.data.map(({ recordId }) => recordId);
    expect(whole.filter(({ recordId }) => ids.includes(recordId))).toEqual(page.data);
    const file = await api.get(`/public/dataset/export?format=json&${queryOf(filter)}`);
    expect([file.status, file.json]).toEqual([200, page.data]);
  });

  test('a needle gauge is compared as a diameter', async () => {
    // 22 G has an inner diameter of 0.413 mm.
    const page = await readPage(`limit=1000&${queryOf({ needleDiameterMin: 0.41, needleDiameterMax: 0.42 })}`);
    const is22G = ({ needleProperty: needle }: PublicRecord): boolean =>
      JSON.stringify(needle).includes('"needleDefinition":{"size":22,"unit":"G"}');
    expect(page.total).toBe(191);
    expect(page.data).toEqual(whole.filter(is22G));
  });
});

test('the pages of a filter lead to each other, and Link contains the filter', async () => {
  const filter = queryOf({ polymer: 'PVA' });
  const seen: number[] = [];
  let query = `limit=50&${filter}`;
  for (let pages = 0; pages < 10; pages += 1) {
    const answer = await api.get(`/public/dataset?${query}`);
    seen.push(...pageShape.parse(answer.json).data.map((record) => record.recordId));
    const next = linkTargets(answer.headers.get('link')).get('next');
    if (next === undefined) break;
    query = next.slice(next.indexOf('?') + 1);
  }
  expect(seen).toHaveLength(141);
  expect(new Set(seen).size).toBe(141);
});

test('different filters have different entity tags, equal filters the same one', async () => {
  const tagOf = async (filter: object | string) =>
    (await api.get(`/public/dataset?${queryOf(filter)}`)).headers.get('etag') ?? '';
  const tag = await tagOf({ polymer: 'PVA', voltageMin: 10 });
  expect(await tagOf('{"voltageMin": "10.0", "polymer": " pva "}')).toBe(tag);
  expect(await tagOf({ polymer: 'PVA', voltageMin: 11 })).not.toBe(tag);
  const again = await api.get(`/public/dataset?${queryOf({ polymer: 'PVA', voltageMin: 10 })}`, {
    headers: { 'If-None-Match': tag },
  });
  expect([again.status, again.text]).toEqual([304, '']);
});

describe('an unknown filter is rejected, never ignored', () => {
  test.each([
    ['an unknown key', '{"voltgeMin": 1}', /voltgeMin.*voltageMin/s],
    ['an object', '{"polymer": {"$ne": ""}}', /polymer/],
    ['a minimum above the maximum', '{"voltageMin": 2, "voltageMax": 1}', /voltageMin.*voltageMax/s],
    ['__proto__', '{"__proto__": {"polymer": "x"}}', /__proto__/],
    ['nothing', '', /JSON/],
    ['10,000 characters', JSON.stringify({ polymer: 'x'.repeat(10_000) }), /4096|4,096/],
  ])('%s', async (_, filter, message) => {
    expectError(await api.get(`/public/dataset?${queryOf(filter)}`), 400, 'INVALID_FILTER', message);
  });

  test('a text that looks like SQL is a text that no record contains', async () => {
    for (const text of ["' or 1=1 --", '"; drop table log_row; --', '%', '_']) {
      expect((await readPage(queryOf({ polymer: text }))).total).toBe(text === '_' ? 18 : 0);
    }
    expect((await readPage('limit=1')).total).toBe(809);
  });
});

describe('a polymer or a solvent', () => {
  const idsOf = async (filter: object) =>
    (await readPage(`limit=1000&${queryOf(filter)}`)).data.map(({ recordId }) => recordId);

  test.each([
    ['polymer', '=PVDF', ['Poly(vinylidene fluoride) (PVDF)', 'PVDF [poly(vinylidene fluoride)]']],
    ['polymer', '=PVDF', ['=pvdf', '=Polyvinylidene Fluoride', '=Poly(vinylidene fluoride) (PVDF)']],
    ['solvent', '=DMF', ['DMF - N,N-dimethylformamide', '=N,N\u2011dimethyl\u00ADformamide']],
  ])('%s %s is found by each spelling of %j', async (key, name, spellings) => {
    const ids = await idsOf({ [key]: name });
    expect(ids.length).toBeGreaterThan(0);
    for (const text of spellings) expect([text, await idsOf({ [key]: text })]).toEqual([text, ids]);
  });

  test.each([
    ['a contradicting name', { polymer: 'polystyrene (PVC)' }, /`polymer`.*PS and PVC/],
    ['an unknown detail', { polymer: '=PVA|PEO 900 kDa' }, /`polymer`.*PEO with the unknown detail "900 kda"/],
    ['a name after a comma', { status: 'PENDING', solvent: 'DMF, acetone' }, /`solvent`.*DMF and ACETONE/],
    ['a blend', { polymer: 'PVA/PEO' }, /`polymer`.*"polymerSystem":"PEO–PVA".*"polymer":"PVA & PEO"/],
  ])('with %s is refused everywhere', async (_, filter, message) => {
    const query = queryOf(filter);
    for (const path of ['', '/facets', '/papers', '/export', '/v1.0.0', '/v1.0.0/export']) {
      const format = path.endsWith('export') ? '&format=csv' : '';
      expectError(await api.get(`/public/dataset${path}?${query}${format}`), 400, 'INVALID_FILTER', message);
    }
    expectError(await api.post('/public/queries', { filter }), 400, 'INVALID_FILTER', message);
  });

  test('that is unknown matches nothing', async () => {
    for (const polymer of ['unobtainium', '=unobtainium (X)', 'PVA/unobtainium'])
      expect(await idsOf({ polymer })).toEqual([]);
  });
});

describe('explain', () => {
  test('explains each condition and the number of matching records', async () => {
    const answer = await api.get(`/public/dataset?explain=true&${queryOf({ polymer: 'pva', voltageMin: 15 })}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      conditions: [
        { key: 'polymer', entries: expect.arrayContaining(['PVA']) },
        { key: 'voltage', unit: 'kV', min: 15 },
      ],
      total: 125,
      version: 'latest',
    });
  });

  test('explains why a record does not match', async () => {
    const answer = await api.get(
      `/public/dataset?explain=true&record=1&${queryOf({ polymer: 'PVA', voltageMin: 10 })}`,
    );
    expect(answer.json).toMatchObject({
      record: {
        recordId: 1,
        matches: false,
        conditions: [
          { key: 'polymer', holds: false },
          { key: 'voltage', holds: true, value: 12 },
        ],
      },
    });
    const unknown = await api.get(`/public/dataset?explain=true&record=999999&${queryOf({ polymer: 'PVA' })}`);
    expectError(unknown, 404, 'RECORD_NOT_FOUND', /999999/);
    expectError(await api.get('/public/dataset?record=1'), 400, 'INVALID_PARAMETER', /explain/);
  });
});

test('csv has a line for each matching record, in the same order', async () => {
  const answer = await api.get(`/public/dataset/export?format=csv&${queryOf({ polymer: 'PVA' })}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
  const { data } = await readPage(`limit=1000&${queryOf({ polymer: 'PVA' })}`);
  const ids = csvTable(answer.text).map((row) => Number(row['experiment_id']));
  expect([ids.length, ids]).toEqual([141, data.map(({ recordId }) => recordId)]);
});
