import { afterEach, expect, test } from '@jest/globals';
import { VersionState } from '@esd/proto/esd/dataset/v1/versions';
import { closeAll, freePort, get, startUpstream, startGateway } from './upstream-servers.ts';

afterEach(closeAll);

const state = { datasetId: 'one', revision: 7, recordCount: 1_809 };
const version = {
  id: 1,
  jobId: 'job',
  identifier: 'v1.0.0<',
  versionState: VersionState.VERSION_STATE_FROZEN,
  state,
  createdAt: new Date(0),
  files: [],
  digest: 'x',
};

async function start(env: NodeJS.ProcessEnv = {}) {
  const { port } = await startUpstream({
    dataset: { getHead: () => Promise.resolve({ state }) },
    versions: { listVersions: () => Promise.resolve({ versions: [version] }) },
  });
  return startGateway({ ports: [port], env });
}

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test.each([HTML, { accept: '*/*' }, { accept: 'text/csv' }, undefined])('GET / is a page for %j', async (headers) => {
  const { url } = await start({ ESD_PUBLIC_URL: 'https://esd.example.org/data' });
  const page = await get(`${url}/`, headers && { headers });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('vary')).toContain('Accept');
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^;]+; base-uri 'none'/,
  );
  expect(page.text).not.toContain('<script');
  expect(page.text).toContain('1,809 published records');
  expect(page.text).toContain('v1.0.0&lt;');
  const links = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
  expect(links).toEqual([
    '/data/docs',
    '/data/openapi.json',
    '/data/public/dataset',
    '/data/public/dataset/export',
    '/data/public/dataset/versions',
  ]);
  expect(page.text).toContain('curl "https://esd.example.org/data/public/dataset?limit=5"');
  const held = { headers: { ...headers, 'if-none-match': page.headers.get('etag') ?? '' } };
  expect((await get(`${url}/`, held)).status).toBe(304);
  const head = await get(`${url}/`, { method: 'HEAD', ...(headers && { headers }) });
  expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, page.headers.get('etag'), '']);
});

test('GET / is JSON for programs that ask for it', async () => {
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

test('GET / answers without numbers while the dataset cannot be read', async () => {
  const { url } = await startGateway({ ports: [await freePort()] });
  const page = await get(`${url}/`, { headers: HTML });
  expect(page.status).toBe(200);
  expect(page.text).toContain('href="/docs"');
  expect(page.text).not.toContain('published records');
  const answer = await get(`${url}/`, { headers: { accept: 'application/json' } });
  expect(answer.json()).toMatchObject({ records: null, newestRelease: null });
});

test.each(['/api', '/api/', '/api?x=1'])('%s redirects to the root', async (path) => {
  const { url } = await start();
  const answer = await get(url + path, { redirect: 'manual' });
  if (path.includes('?')) {
    expect(answer.status).toBe(400);
    return;
  }
  expect(answer.status).toBe(308);
  expect(new URL(answer.headers.get('location') ?? '', url + path).href).toBe(`${url}/`);
});
