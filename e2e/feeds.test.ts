import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { anonymousSubmitter, recordAt } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { type Feed, readFeed } from './support/atom.ts';
import { approveRecords, publishRecords, readAll } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { page } from './support/shapes.ts';

const demo = apiAt((await sharedStack()).url);
const LICENSE = 'CC-BY-4.0, https://spdx.org/licenses/CC-BY-4.0';
const CREATOR = 'The authors of electrospinning-data.org';

const recordsUrl = (parameters: Readonly<Record<string, string>>): string =>
  `/feeds/records.atom?${new URLSearchParams(parameters).toString()}`;
const idOf = ({ id }: { id: string }): number => Number(/\/record\/(\d+)#r\d+$/.exec(id)?.[1]);

async function feedAt(api: Api, path: string): Promise<Feed> {
  const answer = await api.get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
  expect(answer.headers.get('cache-control')).toBe('no-cache');
  return readFeed(answer.text);
}

/** Follows `next` to the last page. */
async function everyEntry(api: Api, path: string): Promise<Feed['entries']> {
  const entries: Feed['entries'] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const feed: Feed = await feedAt(api, next);
    entries.push(...feed.entries);
    next = feed.links.get('next')?.slice(api.url.length);
  }
  return entries;
}

describe('the feed of records', () => {
  test('describes the dataset and its newest 50 records', async () => {
    const feed = await feedAt(demo, '/feeds/records.atom');
    const self = `${demo.url}/feeds/records.atom`;
    expect(feed).toMatchObject({
      id: self,
      title: 'Electrospinning Dataset: records',
      rights: LICENSE,
      authors: [CREATOR],
    });
    expect([feed.links.get('self'), feed.links.get('alternate')]).toEqual([self, `${demo.url}/explore`]);
    expect(feed.entries).toHaveLength(50);
    expect(feed.updated).toBe(feed.entries[0]?.updated);
  });

  test('has each record once, whatever the size of its pages, as the interface and the pages show it', async () => {
    const entries = await everyEntry(demo, recordsUrl({ limit: '200' }));
    const all = await readAll(demo);
    expect(entries.map(idOf).sort((a, b) => a - b)).toEqual(all.map(({ recordId }) => recordId));
    const inSmallPages = await everyEntry(demo, recordsUrl({ limit: '47' }));
    expect(inSmallPages).toEqual(entries);
    for (const entry of [entries[0], entries[400], entries.at(-1)]) {
      if (!entry) throw new Error('there is no entry');
      const id = idOf(entry);
      const { json } = await demo.get(`/public/dataset/records/${id}`);
      expect(json).toMatchObject({ recordRevision: 1, publishedAt: entry.updated, firstPublishedAt: entry.published });
      expect(entry.id).toBe(`${demo.url}/record/${id}#r1`);
      expect(entry.links.get('alternate')).toBe(`${demo.url}/record/${id}`);
      const { text } = await request(`${demo.url}/record/${id}`, { headers: { accept: 'text/html' } });
      expect(/<title>(.*?) · Electrospinning Dataset<\/title>/.exec(text)?.[1]).toBe(entry.title);
    }
  });

  test('names the settings, the result and the paper of a record', async () => {
    const [entry] = (await everyEntry(demo, recordsUrl({ limit: '200' }))).filter((one) => idOf(one) === 17);
    expect(entry?.title).toMatch(/^Record 17: PAN from DMF: /);
    expect(entry?.summary).toMatch(/^Settings: polymer PAN, solvent .*voltage 18 kV.*\. Result: fiber diameter \d+/);
    expect(entry?.links.get('related')).toMatch(/^https:\/\/doi\.org\/10\./);
  });

  test('is narrowed by a filter, which its title states and its page has', async () => {
    const filter = JSON.stringify({ polymer: '=PVDF', voltageMin: 15 });
    const feed = await feedAt(demo, recordsUrl({ filter, limit: '5' }));
    expect(feed.title).toBe('Electrospinning Dataset: records with polymer “PVDF”, voltage at least 15 kV');
    const like = recordsUrl({ filter: '{"polymer":" PLA "}', limit: '1' });
    expect((await feedAt(demo, like)).title).toBe('Electrospinning Dataset: records with polymer like “PLA”');
    expect(feed.id).toBe(`${demo.url}${recordsUrl({ filter, limit: '5' })}`);
    const { total, data } = page.parse(
      (await demo.get(`/public/dataset?limit=1000&filter=${encodeURIComponent(filter)}`)).json,
    );
    const entries = await everyEntry(demo, recordsUrl({ filter, limit: '100' }));
    expect(entries.map(idOf).sort((a, b) => a - b)).toEqual(data.map(({ recordId }) => recordId));
    const explore = await request(feed.links.get('alternate') ?? '', { headers: { accept: 'text/html' } });
    expect([explore.status, explore.text]).toEqual([200, expect.stringContaining(`${total}`)]);
    expect(feed.links.get('alternate')).toBe(`${demo.url}/explore?polymer=%3DPVDF&voltageMin=15`);
  });

  test('is empty before the first dataset revision, and without matching records', async () => {
    for (const parameters of [{ before: '1' }, { filter: '{"voltageMin":10000}' }]) {
      const feed = await feedAt(demo, recordsUrl(parameters));
      expect([feed.entries, feed.links.has('next')]).toEqual([[], false]);
      const { headers } = await demo.get('/public/dataset?limit=1');
      expect(headers.get('esd-dataset-revision')).toMatch(/^\d+$/);
      expect(Date.parse(feed.updated)).toBeLessThanOrEqual(Date.now());
      expect(feed.updated > '2020').toBe(true);
    }
  });

  test.each([
    ['filter={"voltag":1}', 'INVALID_FILTER', /voltag/],
    ['limit=201', 'INVALID_PARAMETER', /`limit`.*200/],
    ['before=0', 'INVALID_PARAMETER', /`before`/],
    ['before=v1.0.0', 'INVALID_PARAMETER', /"v1\.0\.0"/],
    ['record=3', 'INVALID_PARAMETER', /`record` requires `before`/],
    ['skip=3', 'INVALID_PARAMETER', /"skip"/],
  ])('?%s is 400', async (query, code, message) => {
    for (const base of ['', '/api']) {
      expectError(await demo.get(`${base}/feeds/records.atom?${encodeURI(query)}`), 400, code, message);
    }
  });
});

test('the feed of releases has an entry for each release', async () => {
  const feed = await feedAt(demo, '/feeds/releases.atom');
  expect(feed).toMatchObject({ id: `${demo.url}/feeds/releases.atom`, rights: LICENSE, authors: [CREATOR] });
  expect(feed.links.get('alternate')).toBe(`${demo.url}/releases`);
  const { json } = await demo.get('/public/dataset/versions');
  expect(json).toMatchObject([{ createdAt: feed.entries[0]?.updated }]);
  expect(feed.entries).toMatchObject([
    { id: `${demo.url}/release/v1.0.0`, title: 'Electrospinning Dataset, release v1.0.0' },
  ]);
  expect(feed.entries[0]?.summary).toContain('809 records');
  expectError(await demo.get('/feeds/releases.atom?filter={}'), 400, 'INVALID_PARAMETER', /"filter"/);
});

test.each(['/feeds/records.atom', '/feeds/releases.atom'])(
  '%s is the same at both bases and revalidates',
  async (path) => {
    const answer = await demo.get(path);
    const again = await demo.get(`/api${path}`);
    expect(again.text).toBe(answer.text);
    const tag = answer.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    const current = await demo.get(path, { headers: { 'if-none-match': tag } });
    expect([current.status, current.text, current.headers.get('etag')]).toEqual([304, '', tag]);
    const head = await demo.head(path);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
    expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'));
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const other = await demo.post(path, {});
    expectError(other, 405, 'METHOD_NOT_ALLOWED');
  },
);

test('pages name the feeds in their heads', async () => {
  const feedsOf = async (path: string): Promise<string[]> => {
    const { text } = await request(`${demo.url}${path}`, { headers: { accept: 'text/html' } });
    return [...text.matchAll(/<link rel="alternate" type="application\/atom\+xml"[^>]* href="([^"]*)"/g)].map(
      ([, href = '']) => href.replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
    );
  };
  expect(await feedsOf('/')).toEqual(['/feeds/records.atom', '/feeds/releases.atom']);
  expect(await feedsOf('/releases')).toEqual(['/feeds/releases.atom']);
  expect(await feedsOf('/explore')).toEqual(['/feeds/records.atom']);
  const [filtered = ''] = await feedsOf('/explore?polymer=%3DPVDF&voltageMin=15');
  const feed = await feedAt(demo, filtered);
  expect(feed.title).toBe('Electrospinning Dataset: records with polymer “PVDF”, voltage at least 15 kV');
  expect(await feedsOf('/explore?version=v1.0.0')).toEqual([]);
});

describe('a change of the dataset', () => {
  let stack: TestStack;
  let api: Api;
  let admin: string;
  beforeAll(async () => {
    stack = await leaseStack('moderated');
    api = apiAt(stack.url);
    admin = (await newAdmin(stack, api)).token;
  });
  afterAll(() => stack.stop());

  const entriesOf = async (ids: readonly number[]): Promise<Feed['entries']> =>
    (await feedAt(api, recordsUrl({ limit: '200' }))).entries.filter((entry) => ids.includes(idOf(entry)));
  const until = (ids: readonly number[], accept: (entries: Feed['entries']) => boolean) =>
    eventually(() => entriesOf(ids), accept);

  test('a correction is a new entry, and a withdrawn record has none', async () => {
    const ids: number[] = [];
    for (const voltage of [11, 12])
      ids.push(...(await publishRecords(api, { experimentData: [recordAt(voltage)] }, admin, admin)));
    const [first = 0, second = 0] = ids;
    const [newer, older] = await entriesOf(ids);
    expect([newer?.id, older?.id]).toEqual([`${api.url}/record/${second}#r1`, `${api.url}/record/${first}#r1`]);
    expect(older?.published).toBe(older?.updated);

    const update = { experimentData: [recordAt(13)] };
    expect((await api.put(`/data/update/${first}`, update, { bearer: admin })).status).toBe(200);
    await approveRecords(api, [first], admin);
    const corrected = await until(ids, ([entry]) => entry !== undefined && idOf(entry) === first);
    expect(corrected.map(({ id }) => id)).toEqual([`${api.url}/record/${first}#r2`, `${api.url}/record/${second}#r1`]);
    expect(corrected[0]?.published).toBe(older?.published);
    expect((corrected[0]?.updated ?? '') > (older?.updated ?? '')).toBe(true);
    expect(corrected[0]?.summary).toContain('voltage 13 kV');
    const { updated } = await feedAt(api, '/feeds/records.atom');
    expect(updated).toBe(corrected[0]?.updated);

    const withdrawn = { reason: 'Measured wrongly.' };
    expect((await api.post(`/moderation/records/${first}/withdraw`, withdrawn, { bearer: admin })).status).toBe(200);
    expect(await until(ids, ({ length }) => length === 1)).toMatchObject([{ id: `${api.url}/record/${second}#r1` }]);
    expect((await api.post(`/moderation/records/${first}/restore`, '', { bearer: admin })).status).toBe(200);
    await approveRecords(api, [first], admin);
    const [restored] = await until(ids, ({ length }) => length === 2);
    expect(restored?.id).toMatch(new RegExp(`/record/${first}#r[3-9]$`));
    expect(restored?.published).toBe(older?.published);
  });

  test('texts of a record cannot break the feed', async () => {
    const title = `</entry>]]><a b='"&\u2028`;
    const record = {
      ...recordAt(14),
      researchMetadata: { publicationTitle: title, doi: 'https://papers.example/a?b="<c>"&d' },
    };
    const [id = 0] = await publishRecords(api, { userMetadata: anonymousSubmitter, experimentData: [record] }, admin);
    const [entry] = await until([id], ({ length }) => length === 1);
    expect(entry?.links.get('related')).toBe('https://papers.example/a?b=%22%3Cc%3E%22&d');
  });

  test('a client with the feed gets 304 until the next publication', async () => {
    const { headers } = await api.get('/feeds/records.atom');
    const tag = { 'if-none-match': headers.get('etag') ?? '' };
    expect((await api.get('/feeds/records.atom', { headers: tag })).status).toBe(304);
    await publishRecords(api, { experimentData: [recordAt(15)] }, admin, admin);
    expect((await api.get('/feeds/records.atom', { headers: tag })).status).toBe(200);
  });
});
