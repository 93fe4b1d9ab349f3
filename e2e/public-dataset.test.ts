import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { z } from 'zod';
import { type Answer, apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { linkTargets } from './support/link-header.ts';
import { page as pageShape } from './support/shapes.ts';

const api = apiAt((await sharedStack()).url);
const TOTAL = 809;

async function readPage(path: string): Promise<z.output<typeof pageShape>> {
  const answer = await api.get(path);
  expect([answer.status, answer.status === 200 || answer.text]).toEqual([200, true]);
  return pageShape.parse(answer.json);
}

describe('a page', () => {
  let whole: z.output<typeof pageShape>;
  beforeAll(async () => {
    whole = await readPage('/public/dataset?limit=1000');
  });

  test('has the records, the total and the parameters; by default the first hundred records', async () => {
    const page = await readPage('/public/dataset');
    expect(page).toMatchObject({ total: TOTAL, skip: 0, limit: 100, version: 'latest' });
    expect(page.data).toHaveLength(100);
    expect(page.data).toEqual(whole.data.slice(0, 100));
  });

  test('lists each record once, in the order of the record ids', () => {
    const ids = whole.data.map(({ recordId }) => recordId);
    expect(ids).toHaveLength(TOTAL);
    expect(ids[0]).toBeGreaterThanOrEqual(1);
    for (const [index, id] of ids.entries()) expect(id).toBeGreaterThan(ids[index - 1] ?? 0);
  });

  test('contains the record id twice, for older clients', () => {
    for (const record of whole.data) expect(record.experimentId).toBe(record.recordId);
  });

  test('omits absent members and has a content type', async () => {
    const answer = await api.get('/public/dataset?limit=1000', { headers: { 'accept-encoding': 'identity' } });
    expect(answer.text).not.toContain('null');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.text));
  });

  test.each([
    [250, 333],
    [800, 100],
    [Number.MAX_SAFE_INTEGER, 1000],
  ])('from %d with %d records equals that part of the whole', async (skip, limit) => {
    const page = await readPage(`/public/dataset?skip=${skip}&limit=${limit}`);
    expect(page).toMatchObject({ total: TOTAL, skip, limit });
    expect(page.data).toEqual(whole.data.slice(skip, skip + limit));
  });
});

describe('the Link header', () => {
  test.each(['', '/api'])('leads from the first page through all of them, under base "%s"', async (base) => {
    const { origin } = new URL(api.url);
    let at: string | undefined = `${origin}${base}/public/dataset/latest?limit=100`;
    const seen: number[] = [];
    let last: string | undefined;
    for (let pages = 0; at !== undefined && pages < 20; pages += 1) {
      const answer: Answer = await apiAt('').get(at);
      const links = linkTargets(answer.headers.get('link'));
      expect(links.get('first')).toBe(`${origin}${base}/public/dataset/latest?skip=0&limit=100`);
      expect(links.has('prev')).toBe(pages > 0);
      seen.push(...pageShape.parse(answer.json).data.map(({ recordId }) => recordId));
      last ??= links.get('last');
      if (!links.has('next')) expect(at).toBe(last);
      at = links.get('next');
    }
    expect(seen).toHaveLength(TOTAL);
    expect(new Set(seen).size).toBe(TOTAL);
  });
});

describe('a bad query', () => {
  test.each([
    ['limit=0', /`limit`.*1.*1000.*"0"/],
    ['skip=9007199254740993', /"9007199254740993"/],
    ['limit=10&limit=10', /`limit`.*more than once/],
    ['limti=10', /"limti".*limit/],
    ['limit[]=1', /"limit\[\]"/],
    ['limit=%zz', /%zz/],
  ])('%s is rejected with the reason', async (query, message) => {
    for (const path of ['/public/dataset', '/public/dataset/latest']) {
      expectError(await api.get(`${path}?${query}`), 400, 'INVALID_PARAMETER', message);
    }
  });
});

describe.each(['identity', 'gzip', 'br'])('caching, encoded as %s', (encoding) => {
  const path = '/public/dataset?skip=10&limit=5';
  const get = (at: string, headers: Record<string, string> = {}) =>
    api.get(at, { headers: { 'accept-encoding': encoding, ...headers } });
  let tag: string;
  beforeAll(async () => {
    tag = (await get(path)).headers.get('etag') ?? '';
  });

  test('has a strong tag for each page and requires revalidation', async () => {
    const answer = await get(path);
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(answer.headers.get('etag')).toBe(tag);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const tags = ['skip=10&limit=6', 'skip=11&limit=5', ''].map(async (query) =>
      (await get(`/public/dataset?${query}`)).headers.get('etag'),
    );
    expect(new Set([tag, ...(await Promise.all(tags))]).size).toBe(4);
  });

  test('the tag returns 304 without a body, and another tag the page', async () => {
    for (const base of ['', '/api']) {
      const answer = await get(base + path, { 'If-None-Match': `"other", W/${tag}` });
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers.get('etag')).toBe(tag);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
    const other = await get(path, { 'If-None-Match': tag.replace('.10.5', '.10.6') });
    expect([other.status, other.text]).toEqual([200, (await get(path)).text]);
  });

  test('HEAD returns the headers of GET', async () => {
    const head = await api.head(path, { headers: { 'accept-encoding': encoding } });
    const whole = await get(path);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag', 'link', 'cache-control', 'vary']) {
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
    const revalidated = await api.head(path, { headers: { 'accept-encoding': encoding, 'If-None-Match': tag } });
    expect([revalidated.status, revalidated.text]).toEqual([304, '']);
  });
});

test.each(['Bearer not-a-token', 'Bearer', 'Basic YWRhOmFkYQ==', 'Bearer esd_pat_0', 'x'])(
  'a read ignores "Authorization: %s"',
  async (authorization) => {
    const answer = await api.get('/public/dataset?limit=1', { headers: { authorization } });
    expect(answer.status).toBe(200);
    expect(pageShape.parse(answer.json).data).toHaveLength(1);
  },
);
