import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { freezeRelease, submitRecords, untilPublic } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { linkTargets } from './support/link-header.ts';
import { page, records } from './support/shapes.ts';

const demo = apiAt((await sharedStack()).url);

const recordAnswer = z.strictObject({
  data: records.element,
  version: z.string(),
  recordRevision: z.int().min(1),
  publishedAt: z.iso.datetime(),
  firstPublishedAt: z.iso.datetime(),
  versions: z.array(z.string()),
  normalized: z.record(z.string(), z.number()),
  unexplained: z.looseObject({}).nullable(),
});

/** Every record of the demo file. */
const everyRecord = async () => records.parse((await demo.get('/public/dataset/export?format=json')).json);

describe('a single record', () => {
  test('is the record of the pages, under each of its paths', async () => {
    const all = await everyRecord();
    for (const record of [all[0], all[16], all.at(-1)]) {
      const id = record?.recordId ?? 0;
      const latest = await demo.get(`/public/dataset/records/${id}`);
      expect(recordAnswer.parse(latest.json)).toMatchObject({
        data: record,
        version: 'latest',
        recordRevision: 1,
        versions: ['v1.0.0'],
      });
      for (const path of [`latest/records/${id}`, `latest%2Frecords%2F${id}`]) {
        expect((await request(`${demo.url}/public/dataset/${path}`)).text).toBe(latest.text);
      }
      const frozen = await demo.get(`/public/dataset/v1.0.0/records/${id}`);
      expect(frozen.json).toEqual({ ...recordAnswer.parse(latest.json), version: 'v1.0.0' });
      for (const { headers } of [latest, frozen]) expect(headers.get('cache-control')).toBe('no-cache');
      const tag = { 'if-none-match': latest.headers.get('etag') ?? '' };
      expect((await demo.get(`/public/dataset/records/${id}`, { headers: tag })).status).toBe(304);
      expect((await demo.get(`/public/dataset/v1.0.0/records/${id}`, { headers: tag })).status).toBe(200);
      expect((await demo.head(`/public/dataset/records/${id}`)).headers.get('etag')).toBe(tag['if-none-match']);
    }
  });

  test.each(['0', 'abc', '1.5', '-1', '99999999999999999'])('"%s" is not a record id', async (id) => {
    for (const base of ['', 'latest/', 'v1.0.0/', '10.5281/zenodo.1/', '10.5281%2Fzenodo.1%2F']) {
      const answer = await demo.get(`/public/dataset/${base}records/${id}`);
      expectError(answer, 400, 'INVALID_PARAMETER', new RegExp(`"${id}"`));
    }
  });

  test('is not found if it is not public, and accepts no parameters', async () => {
    for (const base of ['', 'latest/', 'v1.0.0/']) {
      for (const id of [1_000_000, Number.MAX_SAFE_INTEGER]) {
        expectError(await demo.get(`/public/dataset/${base}records/${id}`), 404, 'RECORD_NOT_FOUND');
      }
      expectError(await demo.get(`/public/dataset/${base}records/1?limit=1`), 400, 'INVALID_PARAMETER', /"limit"/);
    }
    expectError(await demo.get('/public/dataset/v9.9.9/records/1'), 404, 'VERSION_NOT_FOUND', /v1\.0\.0/);
    const { status, text } = await demo.get('/public/dataset/10.5281%2Fzenodo.1%2Frecords%2F1');
    expect([status, text]).toEqual([404, expect.stringContaining('10.5281/zenodo.1\\"')]);
  });
});

type PublicRecord = z.output<typeof records>[number];

const normalizedRecord = z.looseObject({ recordId: z.int(), normalized: z.record(z.string(), z.number()) });
const normalizedPage = page.extend({ data: z.array(normalizedRecord) });
type NormalizedRecord = z.output<typeof normalizedRecord>;

/** A page with its headers. */
async function readPage(path: string) {
  const answer = await demo.get(`/public/dataset${path}`);
  expect([answer.status, answer.status === 200 || answer.text]).toEqual([200, true]);
  return { ...page.parse(answer.json), headers: answer.headers };
}

const idsOf = (data: readonly { recordId: number }[]) => data.map(({ recordId }) => recordId);

describe('sorted', () => {
  test('the pages together contain all records in the order of their numbers, records without one last', async () => {
    const { data } = normalizedPage.parse((await demo.get('/public/dataset?normalized=true&limit=1000')).json);
    const order = (one: NormalizedRecord, other: NormalizedRecord): number => {
      for (const [key, missing, sign] of [
        ['fieldStrength', Infinity, -1],
        ['voltage', Infinity, 1],
      ] as const) {
        const [a = missing, b = missing] = [one.normalized[key], other.normalized[key]];
        if (a !== b) return a === missing ? 1 : b === missing ? -1 : sign * (a - b);
      }
      return one.recordId - other.recordId;
    };
    const sort = '-fieldStrength,voltage';
    const plain = idsOf(data.toSorted(order));
    expect(idsOf((await readPage(`?sort=${sort}&limit=1000`)).data)).toEqual(plain);
    for (const skip of [0, 350, 800]) {
      expect(idsOf((await readPage(`/v1.0.0?sort=${sort}&skip=${skip}&limit=50`)).data)).toEqual(
        plain.slice(skip, skip + 50),
      );
    }
  });

  test('a page leads to the next one, has its own tag, and states its cache lifetime', async () => {
    const first = await readPage('?sort=-voltage,doi&limit=400');
    const { searchParams } = new URL(linkTargets(first.headers.get('link')).get('next') ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({ sort: '-voltage,doi', skip: '400', limit: '400' });
    const tags = [first.headers.get('etag')];
    for (const sort of ['', '&sort=voltage,doi', '&sort=-voltage', '&sort=doi,-voltage']) {
      tags.push((await readPage(`?limit=400${sort}`)).headers.get('etag'));
    }
    expect(new Set(tags).size).toBe(5);
    const tag = { 'if-none-match': tags[0] ?? '' };
    expect((await demo.get('/public/dataset?sort=-voltage,doi&limit=400', { headers: tag })).status).toBe(304);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const frozen = await readPage('/v1.0.0?sort=voltage&limit=1');
    expect(frozen.headers.get('cache-control')).toBe('public, max-age=86400');
  });

  test.each([
    ['voltag', /"voltag".*nearest: "voltage"/],
    ['-tipDistance', /"tipDistance".*nearest: "tipDist"/],
    ['recordID', /nearest: "recordId"/],
    ['polymer', /"polymer"/],
    ['', /empty key.*voltage/],
    ['voltage,', /empty key/],
    ['--voltage', /"-voltage".*nearest: "voltage"/],
    ['voltage,-voltage', /"voltage" appears more than once/],
    ['voltage,doi,temp,humidity', /at most 3/],
    ['voltage&sort=doi', /`sort`.*more than once/],
  ])('by "%s" is rejected', async (sort, message) => {
    for (const base of ['', '/v1.0.0']) {
      expectError(await demo.get(`/public/dataset${base}?sort=${sort}`), 400, 'INVALID_PARAMETER', message);
    }
  });
});

describe('normalized', () => {
  test('each record has its features as numbers and is otherwise unchanged', async () => {
    const all = await everyRecord();
    for (const [path, expected] of [
      ['?normalized=true&limit=1000', all],
      ['/v1.0.0?normalized=true&skip=100&limit=20', all.slice(100, 120)],
      ['?normalized=true&after=0&limit=3', all.slice(0, 3)],
    ] as const) {
      const answer = await demo.get(`/public/dataset${path}`);
      const { data } = z.object({ data: z.array(normalizedRecord) }).parse(answer.json);
      expect(data.map(({ normalized: _, ...record }) => record)).toEqual(expected);
    }
    const [record] = normalizedPage.parse((await demo.get('/public/dataset?normalized=true&limit=1')).json).data;
    const { data, normalized } = recordAnswer.parse(
      (await demo.get(`/public/dataset/records/${record?.recordId}`)).json,
    );
    expect(record?.normalized).toEqual(normalized);
    // It is in kV.
    expect(normalized['voltage']).toBe(data.processParameter?.voltage);
  });

  test('the records match the numbers of a filter, in the requested order', async () => {
    const filter = encodeURIComponent('{"needleDiameterMin":0.5,"tempMax":25}');
    const path = `?normalized=true&filter=${filter}&sort=-needleDiameter&limit=1000`;
    const { data, total } = normalizedPage.parse((await demo.get(`/public/dataset${path}`)).json);
    const whole = normalizedPage.parse((await demo.get('/public/dataset?normalized=true&limit=1000')).json).data;
    const plain = whole.filter(
      ({ normalized: { needleDiameter = 0, temp = 99 } }) => needleDiameter >= 0.5 && temp <= 25,
    );
    expect(total).toBe(plain.length);
    expect(total).toBeGreaterThan(0);
    expect(data).toEqual(
      plain.toSorted((a, b) => (b.normalized['needleDiameter'] ?? 0) - (a.normalized['needleDiameter'] ?? 0)),
    );
  });

  test('a page has its own tag, leads to the next one, and depends on rules', async () => {
    const [with_, without] = await Promise.all(
      ['true', 'false'].map((normalized) => demo.get(`/public/dataset/v1.0.0?limit=5&normalized=${normalized}`)),
    );
    expect(with_?.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(without?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(with_?.headers.get('etag')).not.toBe(without?.headers.get('etag'));
    expect(without?.text).toBe((await demo.get('/public/dataset/v1.0.0?limit=5')).text);
    expect(linkTargets(with_?.headers.get('link') ?? null).get('next')).toMatch(/normalized=true/);
    for (const value of ['', 'yes', 'true&normalized=true']) {
      const answer = await demo.get(`/public/dataset?normalized=${value}`);
      expectError(answer, 400, 'INVALID_PARAMETER', /`normalized`/);
    }
  });
});

const pageAfter = page.omit({ skip: true }).extend({ after: z.int().min(0) });

describe('after a record', () => {
  test.each(['', '/v1.0.0'])('pages lead to each other through all of them, under "%s"', async (base) => {
    const all = await everyRecord();
    for (const [query, expected] of [
      ['', all],
      [
        `&filter=${encodeURIComponent('{"polymer":"PVDF"}')}`,
        (await readPage('?limit=1000&filter={"polymer":"PVDF"}')).data,
      ],
    ] as const) {
      let at: string | undefined = `${demo.url}/public/dataset${base}?after=0&limit=100${query}`;
      const seen: PublicRecord[] = [];
      while (at !== undefined && seen.length < expected.length) {
        const answer = await apiAt('').get(at);
        const { data, after, total, limit } = pageAfter.parse(answer.json);
        expect([after, total, limit]).toEqual([seen.at(-1)?.recordId ?? 0, expected.length, 100]);
        seen.push(...data);
        const links = linkTargets(answer.headers.get('link'));
        expect([...links.keys()]).toEqual(seen.length < expected.length ? ['first', 'next'] : ['first']);
        at = links.get('next');
      }
      expect(seen).toEqual(expected);
      expect(at).toBeUndefined();
    }
  });

  test('a page equals the one of `skip`, with its own tag and the same cache lifetime', async () => {
    const all = await everyRecord();
    const id = all[299]?.recordId ?? 0;
    const answer = await demo.get(`/public/dataset/v1.0.0?after=${id}&limit=7`);
    expect(pageAfter.parse(answer.json).data).toEqual(all.slice(300, 307));
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const bySkip = await readPage(`/v1.0.0?skip=${id}&limit=7`);
    expect(bySkip.headers.get('etag')).not.toBe(answer.headers.get('etag'));
    const tag = { 'if-none-match': answer.headers.get('etag') ?? '' };
    expect((await demo.get(`/public/dataset/v1.0.0?after=${id}&limit=7`, { headers: tag })).status).toBe(304);
  });

  test('after the last record, the page is empty', async () => {
    for (const after of [809, 810, Number.MAX_SAFE_INTEGER]) {
      const answer = await demo.get(`/public/dataset?after=${after}`);
      expect(answer.json).toEqual({ data: [], total: 809, after, limit: 100, version: 'latest' });
      expect([...linkTargets(answer.headers.get('link')).keys()]).toEqual(['first']);
    }
  });

  test.each(['1&skip=0', '1&skip=5', '1&sort=voltage', '1&sort=recordId', '-1', 'x', '', '1.5', '1&after=2'])(
    '"%s" is rejected',
    async (query) => {
      for (const base of ['', '/v1.0.0']) {
        expectError(await demo.get(`/public/dataset${base}?after=${query}`), 400, 'INVALID_PARAMETER', /`after`/);
      }
    },
  );
});

describe('after edits of records and new releases', () => {
  let stack: TestStack;
  let api: Api;
  let bearer: string;
  beforeAll(async () => {
    stack = await leaseStack('moderated');
    api = apiAt(stack.url);
    ({ token: bearer } = await newAdmin(stack, api));
  });
  afterAll(() => stack.stop());

  const approve = async (recordIds: number[]): Promise<void> => {
    expect((await api.post('/moderation/approve', { recordIds }, { bearer })).status).toBe(200);
  };
  const read = async (path: string) => recordAnswer.parse((await api.get(`/public/dataset/${path}`)).json);
  const freeze = (versionIdentifier: string, more: { doi?: string } = {}) =>
    freezeRelease(api, { versionIdentifier, ...more }, bearer);

  test('a record has its revision, its publication date, and the releases that contain it', async () => {
    const [id = 0] = await submitRecords(api, { experimentData: [recordAt(12)] }, bearer);
    await approve([id]);
    await untilPublic(api, [id]);
    const major = id;
    const first = await read(`records/${id}`);
    expect(first).toMatchObject({ recordRevision: 1, versions: [], firstPublishedAt: first.publishedAt });
    expect(first.normalized).toMatchObject({ voltage: 12 });
    const { headers } = await api.get(`/public/dataset/records/${id}`);
    await freeze(`v${major}.0.0`);
    const doi = `10.5281/zenodo.${major}`;
    await freeze(`v${major}.1.0`, { doi });
    const versions = [`v${major}.1.0`, `v${major}.0.0`];
    expect(await read(`records/${id}`)).toEqual({ ...first, versions });
    const after = await api.get(`/public/dataset/records/${id}`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(after.status).toBe(200);

    const edit = { experimentData: [recordAt(30)] };
    expect((await api.put(`/data/update/${id}`, edit, { bearer })).status).toBe(200);
    await approve([id]);
    const second = await eventually(
      () => read(`records/${id}`),
      ({ recordRevision }) => recordRevision > 1,
    );
    expect(second).toMatchObject({ versions: [], firstPublishedAt: first.publishedAt, normalized: { voltage: 30 } });
    expect(Date.parse(second.publishedAt)).toBeGreaterThan(Date.parse(first.publishedAt));
    const frozen = { ...first, versions, version: `v${major}.1.0` };
    for (const name of [frozen.version, doi, `https://doi.org/${doi}`, encodeURIComponent(doi)]) {
      expect(await read(`${name}/records/${id}`)).toEqual(frozen);
    }
    const { json } = await request(`${api.url}/public/dataset/${encodeURIComponent(`${doi}/records/${id}`)}`);
    expect(json).toEqual(frozen);
  });

  test('a DOI that ends like a path of a release is rejected', async () => {
    const id = await freeze('v1.0.0-doi');
    const doi = '10.5281/x/records/5';
    const refused = await api.patch(`/admin/versions/${id}`, { doi }, { bearer });
    expectError(refused, 400, 'INVALID_REQUEST', /ends like a path/);
    const start = await api.post('/admin/versions', { versionIdentifier: 'v1.0.1-doi', doi }, { bearer });
    expectError(start, 400, 'INVALID_REQUEST', /ends like a path/);
    const change = await api.patch(`/admin/versions/${id}`, { doi: '10.5281/x.facets/records' }, { bearer });
    expect([change.status, change.text]).toEqual([200, expect.stringContaining('records')]);
  });
});
