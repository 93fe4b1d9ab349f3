import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { z } from 'zod';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { seededNames } from './support/seeds.ts';
import { instabilities, morphologies, substanceEntry, substances, units } from './support/shapes.ts';

const api = apiAt((await sharedStack()).url);
const LISTS = [
  '/metadata/polymers',
  '/metadata/solvents',
  '/metadata/morphologies',
  '/metadata/units',
  '/metadata/instabilities',
];

async function read<Shape extends z.ZodType>(path: string, shape: Shape): Promise<z.output<Shape>> {
  const answer = await api.get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  return shape.parse(answer.json);
}

function expectIdsAscending(entries: { id: number }[]): void {
  const ids = entries.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
}

describe('the lists', () => {
  test.each(['polymers', 'solvents'] as const)('%s: all entries, by id', async (list) => {
    const entries = await read(`/metadata/${list}`, substances);
    expectIdsAscending(entries);
    expect(entries.map(({ name }) => name)).toEqual(seededNames(list));
  });

  test('polymers: absent members are omitted', async () => {
    const entries = await read('/metadata/polymers', substances);
    expect(entries.find(({ name }) => name === 'PVA')).toEqual({
      id: expect.any(Number),
      name: 'PVA',
      fullName: 'Poly(vinyl alcohol)',
      casNumber: '9002-89-5',
      abbreviation: 'PVA',
      aliases: expect.arrayContaining(['Polyvinyl Alcohol', 'PVOH']),
      kind: 'polymer',
      displayName: 'Poly(vinyl alcohol) (PVA)',
      shortName: 'PVA',
    });
    expect(entries.find(({ name }) => name === 'GRAPHENE_OXIDE')).toEqual({
      id: expect.any(Number),
      name: 'GRAPHENE_OXIDE',
      fullName: 'Graphene oxide',
      aliases: [],
      kind: 'particle',
      displayName: 'Graphene oxide',
      shortName: 'Graphene oxide',
    });
  });

  test('solvents: a legacy spelling has the name of its entry', async () => {
    const entries = await read('/metadata/solvents', substances);
    expect(entries.find(({ name }) => name === 'AC')?.sameAs).toBe('ACETONE');
    expect(entries.find(({ name }) => name === 'ACETONE')).toMatchObject({
      inchiKey: 'CSCPPACGZOOCGX-UHFFFAOYSA-N',
      pubchemCid: 180,
    });
    const propertiesOf = (name: string) => entries.find((entry) => entry.name === name)?.properties;
    expect(propertiesOf('ACETONE')).toContainEqual({
      ...{ property: 'dielectricConstant', value: 21.01, unit: '1', temperatureCelsius: 20 },
      source: 'CRC Handbook, Permittivity of Liquids',
    });
    expect([propertiesOf('AC'), propertiesOf('DSM')]).toEqual([propertiesOf('ACETONE'), []]);
    expect(entries.find(({ kind }) => kind === 'mixture')).not.toHaveProperty('inchiKey');
  });

  test('units: with their conversion, except gauges', async () => {
    const entries = await read('/metadata/units', units);
    expectIdsAscending(entries);
    expect(entries.map(({ unit }) => unit)).toEqual(seededNames('units'));
    expect(entries.find(({ unit }) => unit === 'V')).toEqual({
      id: expect.any(Number),
      unit: 'V',
      name: 'volt',
      dimension: 'voltage',
      canonical: 'kV',
      factor: 0.001,
      offset: 0,
      aliases: ['volts'],
      ucumCode: 'V',
      qudtUri: 'http://qudt.org/vocab/unit/V',
    });
    expect(entries.find(({ unit }) => unit === 'G')).not.toHaveProperty('factor');
    for (const { canonical, dimension } of entries) {
      if (canonical === undefined) continue;
      expect(entries.find(({ unit }) => unit === canonical)).toMatchObject({ dimension, factor: 1, offset: 0 });
    }
  });

  test('morphologies: the labels by category', async () => {
    const groups = await read('/metadata/morphologies', morphologies);
    const categories = seededNames('morphologies');
    expect(Object.keys(groups)).toEqual([...new Set(categories)]);
    for (const [category, entries] of Object.entries(groups)) {
      expectIdsAscending(entries);
      expect(entries).toHaveLength(categories.filter((name) => name === category).length);
      for (const entry of entries) expect(entry).not.toHaveProperty('category');
    }
    expect(groups['Structure']?.[0]).toMatchObject({ label: 'Porous', abbreviation: 'P' });
  });

  test('instabilities: the labels with their category', async () => {
    const entries = await read('/metadata/instabilities', instabilities);
    expectIdsAscending(entries);
    expect(entries.map(({ label }) => label)).toEqual(seededNames('instabilities'));
    expect(entries[0]).toMatchObject({ label: 'Rayleigh', category: 'Jet' });
  });
});

describe('a search by CAS number', () => {
  test.each([
    ['polymers', '9002-89-5', 'PVA'],
    ['solvents', '67-64-1', 'ACETONE'],
  ])('in %s: %s is %s, the first entry with that number', async (list, cas, name) => {
    const entry = await read(`/metadata/${list}/search?cas=${cas}`, substanceEntry);
    expect(entry).toMatchObject({ name, casNumber: cas });
    expect((await read(`/metadata/${list}`, substances)).find(({ casNumber }) => casNumber === cas)).toEqual(entry);
  });

  test.each([
    ['polymers', '7732-18-5'],
    ['solvents', '9002-89-5'],
  ])('in %s: no entry has %s', async (list, cas) => {
    expectError(await api.get(`/metadata/${list}/search?cas=${cas}`), 404, 'ENTRY_NOT_FOUND', new RegExp(cas));
  });

  test.each([
    ['cas=9002-89-6', /check digit.*9002-89-6/],
    ['cas=9002-89-5%0A', /9002-89-5/],
    ['cas=', /cas/],
    ['', /`cas` is required/],
    ['cas=9002-89-5&cas=9002-89-5', /more than once/],
    ['CAS=9002-89-5', /"CAS".*cas/],
    ['name=PVA', /"name".*cas/],
  ])('"%s" is not a CAS number', async (query, message) => {
    for (const list of ['polymers', 'solvents']) {
      expectError(await api.get(`/metadata/${list}/search?${query}`), 400, 'INVALID_PARAMETER', message);
    }
  });
});

describe.each([...LISTS, '/metadata/polymers/search?cas=9002-89-5', '/metadata/solvents/search?cas=67-64-1'])(
  '%s',
  (path) => {
    let tag: string;
    beforeAll(async () => {
      tag = (await api.get(path)).headers.get('etag') ?? '';
    });

    test('has a strong tag and requires revalidation', async () => {
      expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
      const answer = await api.get(path);
      expect([answer.headers.get('etag'), answer.headers.get('cache-control')]).toEqual([tag, 'no-cache']);
      expect(answer.text).not.toContain('null');
    });

    test('returns 304 to a client with the current list', async () => {
      for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const answer = await api.get(path, { headers: { 'If-None-Match': condition } });
        expect([condition, answer.status, answer.text, answer.headers.get('etag')]).toEqual([condition, 304, '', tag]);
      }
      const stranger = tag.replace(/^"[^.]+/, '"00000000-0000-4000-8000-000000000000');
      for (const other of ['"other"', stranger]) {
        const answer = await api.get(path, { headers: { 'If-None-Match': other } });
        expect([other, answer.status, answer.text.length > 2]).toEqual([other, 200, true]);
      }
    });

    test('HEAD returns the headers of GET', async () => {
      const [head, get] = await Promise.all([api.head(path), api.get(path)]);
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
    });

    test('needs no credential and ignores any', async () => {
      const answer = await api.get(path, { headers: { authorization: 'Bearer not-a-token' } });
      expect(answer.status).toBe(200);
    });
  },
);

test.each(LISTS)('%s accepts no query', async (path) => {
  expectError(await api.get(`${path}?limit=1`), 400, 'INVALID_PARAMETER', /"limit"/);
});

test('no two lists share a tag', async () => {
  const tags = await Promise.all(LISTS.map(async (path) => (await api.get(path)).headers.get('etag')));
  expect(new Set(tags).size).toBe(LISTS.length);
});
