import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { demoDatasetFile } from '@esd/testing/demo';
import { ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { closeAll, freePort, get, startUpstream, startGateway } from '../upstream-servers.ts';

afterEach(closeAll);

const state = { datasetId: 'one', revision: 7, recordCount: 1_809 };
const version = {
  id: 1,
  jobId: 'job',
  identifier: 'v1.0.0<',
  releaseState: ReleaseState.RELEASE_STATE_FROZEN,
  factsJson: readFileSync(demoDatasetFile, 'utf8'),
  state,
  createdAt: new Date(0),
  files: [],
  digest: 'x',
};

async function start(env: NodeJS.ProcessEnv = {}) {
  const { port } = await startUpstream({
    dataset: { getHead: () => Promise.resolve({ state }) },
    releases: { listReleases: () => Promise.resolve({ releases: [version] }) },
  });
  const gateway = await startGateway({ ports: [port], env });
  // The page waits only a second for its numbers, so the gateway connects before.
  await gateway.readiness.check();
  return gateway;
}

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test.each([HTML, { accept: '*/*' }, { accept: 'text/csv' }, undefined])('GET / is HTML for %j', async (headers) => {
  const { url } = await start({
    ESD_PUBLIC_URL: 'https://esd.example.org/data',
    ESD_SECURITY_CONTACT: 'mailto:security@example.org',
  });
  const page = await get(`${url}/`, headers && { headers });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('vary')).toContain('Accept');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'; .*base-uri 'none'/);
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  for (const [script] of page.text.matchAll(/<script[^>]*>/g)) {
    expect(script).toMatch(
      /^<script( type="module")? src="\/data\/assets\/[\w.-]+"|^<script type="application\/ld\+json"/,
    );
  }
  expect(page.text).toMatch(/<b>1809<\/b>\s*experiments/);
  expect(page.text).toContain('v1.0.0&lt;');
  const links = [...page.text.matchAll(/href="([^"#]+)"/g)].map(([, href]) => href);
  expect(links).toEqual(
    expect.arrayContaining([
      '/data/docs',
      '/data/explore',
      '/data/release/v1.0.0%3C',
      '/data/.well-known/security.txt',
    ]),
  );
  expect(links.filter((link) => link !== 'https://esd.example.org/data/' && !link?.startsWith('/data/'))).toEqual([]);
  const [style = ''] = links.filter((link) => link?.endsWith('.css'));
  const sheet = await get(url + style.replace('/data', ''), { headers: { 'accept-encoding': 'br' } });
  expect([sheet.status, sheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  expect(sheet.headers.get('cache-control')).toContain('immutable');
  expect(sheet.headers.get('content-encoding')).toBe('br');
  expect(page.text).toContain('curl -G https://esd.example.org/data/public/dataset');
  const revalidation = { headers: { ...headers, 'if-none-match': page.headers.get('etag') ?? '' } };
  expect((await get(`${url}/`, revalidation)).status).toBe(304);
  const head = await get(`${url}/`, { method: 'HEAD', ...(headers && { headers }) });
  expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, page.headers.get('etag'), '']);
});

test('GET / returns JSON for programs that accept JSON', async () => {
  const { url } = await start({ ESD_SECURITY_CONTACT: 'mailto:security@example.org' });
  const answer = await get(`${url}/`, { headers: { accept: 'application/json' } });
  expect(answer.headers.get('vary')).toContain('Accept');
  expect(answer.json()).toEqual({
    title: 'Electrospinning Dataset Service',
    records: 1_809,
    newestRelease: 'v1.0.0<',
    links: {
      docs: '/docs',
      openapi: '/openapi.json',
      dataset: '/public/dataset',
      export: '/public/dataset/export',
      releases: '/public/dataset/versions',
      security: '/.well-known/security.txt',
    },
  });
});

test('GET / responds without numbers while the dataset cannot be read', async () => {
  const { url } = await startGateway({ ports: [await freePort()] });
  const page = await get(`${url}/`, { headers: HTML });
  expect(page.status).toBe(200);
  expect(page.text).toContain('href="/docs"');
  expect(page.text).not.toContain('experiments</li>');
  const answer = await get(`${url}/`, { headers: { accept: 'application/json' } });
  expect(answer.json()).toMatchObject({ records: null, newestRelease: null });
});

test.each(['/api', '/api/', '/api?x=1'])('%s redirects to the root', async (path) => {
  const { url } = await start();
  const answer = await get(url + path, { redirect: 'manual' });
  expect(answer.status).toBe(308);
  expect(answer.headers.get('location')).toBe(path.includes('?') ? '/?x=1' : '/');
});

test('a page URL under /api or with a trailing slash redirects to the canonical URL', async () => {
  const { url } = await start({ ESD_PUBLIC_URL: 'https://esd.example.org/data' });
  for (const path of ['/api/releases', '/releases/', '/api/releases/']) {
    const answer = await get(`${url}${path}?x=1`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/data/releases?x=1']);
  }
  expect((await get(`${url}/releases?utm_source=mail`)).status).toBe(200);
});

test('a page escapes the values of the dataset', async () => {
  const { url } = await start();
  const page = await get(`${url}/releases`);
  expect(page.text).toContain('v1.0.0&lt;');
  expect(page.text).not.toContain('v1.0.0<');
});

test('an error is a page for browsers and JSON for programs', async () => {
  const { url } = await startGateway({ ports: [await freePort()] });
  const page = await get(`${url}/releases`, { headers: HTML });
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  expect(page.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(page.text).toContain('<h1>The service is busy</h1>');
  const answer = await get(`${url}/releases`);
  expect([answer.status, answer.json()]).toMatchObject([503, { success: false, code: 'UNAVAILABLE' }]);
});

test('a missing asset is 404 and not cached, because another replica may have it', async () => {
  const { url } = await start();
  const answer = await get(`${url}/assets/style-former.css`);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
});
