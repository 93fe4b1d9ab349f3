import { expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import { openApi } from './support/contract.ts';
import { page } from './support/shapes.ts';

const { url } = await sharedStack();
const HTML = { accept: 'text/html' };
const read = (query: Readonly<Record<string, string>>, options: { method?: string; base?: string } = {}) =>
  request(`${url}${options.base ?? ''}/explore?${new URLSearchParams(query).toString()}`, {
    headers: HTML,
    ...(options.method !== undefined && { method: options.method }),
  });

/** Matches the heading of a page with a number of records. */
const headingOf = (records: number) => new RegExp(`>${records} experiments(?: \\(\\d+ distinct\\))?</h1>`);

test.each([
  [
    { version: 'v1.0.0', filter: '{"polymer":"=PVDF|PVA","voltageMax":30.0}', tab: 'map' },
    '/explore?polymer=%3DPVDF%7CPVA&voltageMax=30&version=v1.0.0&tab=map',
  ],
  [{ filter: '{"needleType":"=a&b=c?d#e"}' }, '/explore?needleType=%3Da%26b%3Dc%3Fd%23e'],
  [{ filter: '{}' }, '/explore'],
])('/explore with the API filter of %j redirects to %s', async (query, location) => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, text } = await read(query, { method });
    expect([status, headers.get('location'), text]).toEqual([302, location, '']);
    expect(headers.get('cache-control')).toBe('no-cache');
  }
  expect((await request(`${url}${location}`, { headers: HTML })).text).not.toContain('Ignored URL parameter');
});

test('the page shows as many records as the API finds', async () => {
  const filter = '{"polymer":"PV","fiberDiameterMax":500}';
  const { total } = page.parse(
    (await request(`${url}/public/dataset?limit=1&filter=${encodeURIComponent(filter)}`)).json,
  );
  const location = (await read({ filter })).headers.get('location') ?? '';
  expect((await request(`${url}${location}`, { headers: HTML })).text).toMatch(headingOf(total));
});

test('a long filter is redirected as a whole', async () => {
  const names = Array.from({ length: 400 }, (_, at) => `name${at}`).join('|');
  const filter = JSON.stringify({ polymer: `=${names}`, voltageMin: 1 });
  const { status, headers } = await read({ filter });
  expect(status).toBe(302);
  const found = new URL(headers.get('location') ?? '', url).searchParams;
  expect([...found]).toEqual([
    ['polymer', `=${names}`],
    ['voltageMin', '1'],
  ]);
});

test.each([
  ['{"polymr":"PVDF"}', 'filter (Unknown filter key &quot;polymr&quot;; nearest: &quot;polymer&quot;)'],
  [
    `{"polymer":"${'x'.repeat(4_096)}"}`,
    'filter (A filter must have at most 4096 characters; this one has 4110. Send a longer one to POST /public/queries)',
  ],
  ['{"polymer":"</script><img src=x>"', 'got text that is not JSON'],
])('for the bad filter %s, the page shows everything and the reason', async (filter, reason) => {
  const { status, text } = await read({ filter, version: 'v1.0.0' });
  expect(status).toBe(200);
  expect(text).toContain(`Ignored URL parameter: `);
  expect(text).toContain(reason);
  expect(text).toMatch(headingOf(809));
  expect(text).toContain('release v1.0.0');
  expect(text).not.toContain('<img src=x');
});

test.each([
  { polymer: 'polystyrene (PVC)', voltageMin: '10' },
  { polymer: '=polystyrene (PVC)', voltageMin: '10' },
])('the page leaves out the contradicting name of %j, and says so', async (query) => {
  const others = page.parse((await request(`${url}/public/dataset?limit=1&filter={"voltageMin":10}`)).json);
  const { status, text } = await read(query);
  expect(status).toBe(200);
  expect(text).toContain(`Ignored URL parameter: polymer=${query.polymer} (\`polymer\`: The text`);
  expect(text).toContain('names PS and PVC; send one of them)');
  expect(text).toMatch(headingOf(others.total));
});

test('programs get the reason as JSON', async () => {
  const address = `${url}/explore?filter=${encodeURIComponent('{"polymr":1}')}&parts=summary`;
  const { json } = await request(address, { headers: { accept: 'application/json' } });
  expect(json).toMatchObject({ total: 809, ignored: [expect.stringMatching(/^filter \(Unknown filter key "polymr"/)] });
});

test('under /api, the page has its one URL', async () => {
  const { status, headers } = await read({ filter: '{}' }, { base: '/api' });
  expect([status, headers.get('location')]).toEqual([308, '/explore?filter=%7B%7D']);
});

test('the OpenAPI document describes the redirect', async () => {
  const { paths } = openApi.parse((await request(`${url}/openapi.json`)).json);
  expect(Object.keys(paths['/explore']?.['get']?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '302', '304']),
  );
});
