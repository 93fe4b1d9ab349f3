import { once } from 'node:events';
import { createServer, request as requestPlain, type Server } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { z } from 'zod';
import { smallRecord } from '@esd/testing/records';
import { inBrowser } from '../browser.ts';
import { newContributor } from '../support/accounts.ts';
import { newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { PLAIN_PAGES } from '../support/pages.ts';

/** The prefix of the public URL. The proxy removes it from forwarded requests. */
const PREFIX = '/data/esd';
const PAGES = [...PLAIN_PAGES, '/explore', '/record/1', '/contribute', '/account', '/docs/dataset'];

let stack: TestStack;
let inside = '';
/** URLs of requests outside the prefix. */
const outside: string[] = [];
const proxy: Server = createServer((incoming, outgoing) => {
  const { url = '', method, headers } = incoming;
  if (!url.startsWith(`${PREFIX}/`)) {
    outside.push(url);
    outgoing.writeHead(404).end('outside of the prefix');
    return;
  }
  const passed = requestPlain(inside + url.slice(PREFIX.length), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, outgoing).catch(() => outgoing.destroy());
  });
  passed.on('error', () => outgoing.destroy());
  pipeline(incoming, passed).catch(() => passed.destroy());
});
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');
const { port } = z.object({ port: z.int() }).parse(proxy.address());
const origin = `http://127.0.0.1:${port}`;

beforeAll(async () => {
  stack = await startStack({ env: { ESD_PUBLIC_URL: `${origin}${PREFIX}` } });
  inside = stack.url;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await stack.stop();
});

test.each(PAGES)('every URL in %s begins with the path of the public URL', async (path) => {
  const { status, text } = await request(`${origin}${PREFIX}${path}`, { headers: { accept: 'text/html' } });
  expect(status).toBe(200);
  const addresses = [...text.matchAll(/ (?:href|src|action|formaction|data-view-to)="([^"]*)"/g)].map(
    ([, found = '']) => found,
  );
  expect(addresses.length).toBeGreaterThan(10);
  const own = addresses.filter((found) => !/^(#|mailto:)/.test(found) && !/^https?:/.test(found));
  expect(own.filter((found) => found !== `${PREFIX}/` && !found.startsWith(`${PREFIX}/`))).toEqual([]);
  const absolute = addresses.filter((found) => found.startsWith(origin));
  expect(absolute.filter((found) => !found.startsWith(`${origin}${PREFIX}/`))).toEqual([]);
  for (const found of own.filter((one) => one.includes('/assets/'))) {
    expect([found, (await request(origin + found)).status]).toEqual([found, 200]);
  }
});

test('the address of a new resource begins with the path of the public URL, and with /api if the request does', async () => {
  const root = `${origin}${PREFIX}`;
  const { token: contributor } = await newContributor(apiAt(stack.url), stack.dataDir);
  const { token: admin } = await newAdmin(stack, apiAt(stack.url));
  for (const base of ['', '/api']) {
    for (const [path, body, bearer] of [
      ['/versions', { name: 'a subset', filterConfig: { polymer: 'PVA' } }, contributor],
      ['/data/submit', { experimentData: [smallRecord] }, contributor],
      ['/admin/versions', { versionIdentifier: base === '' ? 'v9.0.0' : 'v9.0.1' }, admin],
      ['/metadata/instabilities', { label: `wave ${base}`, category: 'Jet', definition: 'A wave of the jet.' }, admin],
    ] as const) {
      const made = await request(`${root}${base}${path}`, { method: 'POST', body, bearer });
      const location = made.headers.get('location') ?? '';
      const parent = path === '/data/submit' ? '/data/submission' : path;
      expect([path, location]).toEqual([path, expect.stringMatching(`^${PREFIX}${base}${parent}/\\d+$`)]);
      // Entries of reference lists have no URL for GET.
      if (path === '/metadata/instabilities') continue;
      expect([location, (await request(origin + location, { bearer })).status]).toEqual([location, 200]);
    }
  }
});

inBrowser(origin, 'under a prefix', (open) => {
  test.each(PAGES)('%s runs its scripts, and requests nothing outside the prefix', async (path) => {
    const { page, context, problems } = await open(`${PREFIX}${path}`);
    await page.waitForLoadState('networkidle');
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const before = await paper();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await paper()).not.toBe(before);
    await context.close();
  });

  test('a facet of /explore and a record page work', async () => {
    const { page, context, problems } = await open(`${PREFIX}/explore`);
    await page
      .getByRole('link', { name: /\(PVDF\)/ })
      .first()
      .click();
    await page.waitForURL(`${origin}${PREFIX}/explore?polymer=*`);
    await page.goto(`${origin}${PREFIX}/record/1`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe('');
    expect(problems).toEqual([]);
    await context.close();
  });
});
