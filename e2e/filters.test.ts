import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { z } from 'zod';
import { apiAt } from './support/api.ts';
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

/** Returns a member of a record at any depth, such as `processParameter.voltage`. */
function at(record: PublicRecord, path: string): unknown {
  return path.split('.').reduce<unknown>((value, member) => {
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.entries(value).find(([name]) => name === member)?.[1];
  }, record);
}

const numberAt = (record: PublicRecord, path: string): number => {
  const value = at(record, path);
  return typeof value === 'number' ? value : NaN;
};
const textAt = (record: PublicRecord, path: string): string => JSON.stringify(at(record, path) ?? '');

let whole: PublicRecord[];
beforeAll(async () => {
  whole = (await readPage('limit=1000')).data;
  expect(whole).toHaveLength(809);
});

describe('a filter matches exactly the records that it describes', () => {
  const cases: [string, object, (record: PublicRecord) => boolean, number][] = [
    [
      'a range',
      { voltageMin: 15, voltageMax: 20 },
      (r) => numberAt(r, 'processParameter.voltage') >= 15 && numberAt(r, 'processParameter.voltage') <= 20,
      395,
    ],
    ['one bound, as text', { humidityMin: '50' }, (r) => numberAt(r, 'ambientParameter.humidity') >= 50, 73],
    ['a polymer', { polymer: 'pva' }, (r) => textAt(r, 'polymerProperty').includes('"PVA"'), 141],
    ['a part of a solvent', { solvent: 'aceton' }, (r) => /"(ACETONE|AC)"/.test(textAt(r, 'solventProperty')), 349],
    [
      'a category of collectors',
      { collectorType: 'rotating' },
      (r) => textAt(r, 'collectorProperty.collectorType') === '"Rolling Drum"',
      265,
    ],
    [
      'unstable fiber formation',
      { isFormationStable: 'no' },
      (r) => at(r, 'fiberProperty.isFormationStable') === false,
      32,
    ],
    [
      'several keys together',
      { polymer: 'PVDF', collectorType: 'rotating', fiberDiameterMax: 500 },
      (r) =>
        textAt(r, 'polymerProperty').includes('"PVDF"') &&
        textAt(r, 'collectorProperty.collectorType') === '"Rolling Drum"' &&
        numberAt(r, 'fiberProperty.fiberDiameter') <= 500,
      87,
    ],
    [
      'a DOI in another spelling',
      { doi: 'DOI:10.1016/J.JAFR.2019.100015' },
      (r) => textAt(r, 'researchMetadata.doi').includes('10.1016/j.jafr.2019.100015'),
      15,
    ],
    ['no record', { status: 'REJECTED' }, () => false, 0],
    ['every record', { status: 'PUBLISHED' }, () => true, 809],
  ];

  test.each(cases)('%s', async (_, filter, holds, count) => {
    const expected = whole.filter(holds).map((record) => record.recordId);
    const page = await readPage(`limit=1000&${queryOf(filter)}`);
    expect(page.data.map((record) => record.recordId)).toEqual(expected);
    expect(page.total).toBe(expected.length);
    // Counted in the source of the demo.
    expect(page.total).toBe(count);
    const file = await api.get(`/public/dataset/export?format=json&${queryOf(filter)}`);
    expect(file.status).toBe(200);
    expect(file.json).toEqual(page.data);
  });

  test('a needle gauge is compared as a diameter', async () => {
    // 22 G has an inner diameter of 0.413 mm.
    const page = await readPage(`limit=1000&${queryOf({ needleDiameterMin: 0.41, needleDiameterMax: 0.42 })}`);
    const expected = whole.filter((r) => textAt(r, 'needleProperty.needleDefinition') === '{"size":22,"unit":"G"}');
    expect(page.total).toBe(191);
    expect(page.data).toEqual(expected);
  });
});

test('a kind of collector or needle is found in all its spellings', async () => {
  const totalOf = async (filter: object) => (await readPage(`limit=1&${queryOf(filter)}`)).total;
  for (const collectorType of ['Rolling Drum', 'Rotating Drum', 'drum', 'rotary drum collector', 'rotating']) {
    expect([collectorType, await totalOf({ collectorType })]).toEqual([collectorType, 265]);
  }
  expect([await totalOf({ collectorType: 'mandrel' }), await totalOf({ collectorType: 'disc' })]).toEqual([0, 0]);
  for (const needleType of ['single nozzle', 'uniaxial']) expect(await totalOf({ needleType })).toBe(809);
  expect(await totalOf({ needleType: 'coaxial' })).toBe(0);
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
    ['a wrong type', '{"voltageMin": true}', /voltageMin/],
    ['a unit in the number', '{"voltageMin": "15 kV"}', /kV/],
    ['null', '{"polymer": null}', /polymer/],
    ['a list', '{"polymer": ["PVA"]}', /polymer/],
    ['an object', '{"polymer": {"$ne": ""}}', /polymer/],
    ['a minimum above the maximum', '{"voltageMin": 2, "voltageMax": 1}', /voltageMin.*voltageMax/s],
    ['an infinite number', '{"voltageMax": 1e999}', /voltageMax/],
    ['a text that is not a number', '{"voltageMax": "NaN"}', /voltageMax/],
    ['the same key twice', '{"voltageMin": 1, "voltageMin": 2}', /voltageMin/],
    ['__proto__', '{"__proto__": {"polymer": "x"}}', /__proto__/],
    ['an unknown status', '{"status": "SECRET"}', /SECRET/],
    ['an empty text', '{"polymer": "  "}', /polymer/],
    ['half a character', '{"polymer": "\\ud800"}', /polymer/],
    ['a value that is not an object', '[]', /object/],
    ['a text that is not JSON', 'polymer=PVA', /JSON/],
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

describe('explain', () => {
  test('explains each condition and the number of matching records', async () => {
    const answer = await api.get(`/public/dataset?explain=true&${queryOf({ polymer: 'pva', voltageMin: 15 })}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      conditions: [
        { key: 'polymer', entries: expect.arrayContaining(['PVA']) },
        { key: 'voltage', unit: 'kV', min: 15 },
      ],
      total: whole.filter(
        (r) => textAt(r, 'polymerProperty').includes('"PVA"') && numberAt(r, 'processParameter.voltage') >= 15,
      ).length,
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
  const lines = answer.text.split('\r\n');
  expect(lines).toHaveLength(143);
  expect(lines[0]?.split(',')).toHaveLength(69);
  const expected = whole.filter((r) => textAt(r, 'polymerProperty').includes('"PVA"')).map((r) => r.recordId);
  expect(lines.slice(1, -1).map((line) => Number(line.split(',')[1]))).toEqual(expected);
});
