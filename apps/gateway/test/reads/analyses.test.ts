import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { type ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { Release } from '@esd/proto/esd/dataset/v1/releases';
import { ServiceError } from '@esd/service/errors';
import { closeAll, get, startGateway, startUpstream } from '../upstream-servers.ts';

afterEach(closeAll);

const VERSION = 'v1.0.0';
const DOI = '10.1234/abc/def';

/** Starts a dataset with a release; the test changes its state and decides when it responds. */
async function startDataset(env: NodeJS.ProcessEnv = {}) {
  const state = { datasetId: 'one', revision: 5, recordCount: 3 };
  const requests: ExploreRequest[] = [];
  const dataset = { state, requests, opens: Promise.resolve() };
  const { port } = await startUpstream({
    dataset: {
      getHead: () => Promise.resolve({ state: { ...state } }),
      explore: async (request) => {
        requests.push(request);
        await dataset.opens;
        const { revision = state.revision, questions, version } = request;
        const answer = { revision, question: questions[0]?.question, version, text: 'x'.repeat(2_000) };
        const none = Buffer.alloc(0);
        const answersJson = [Buffer.from(JSON.stringify(answer))];
        return {
          state: { ...state, revision },
          total: 3,
          answersJson,
          recordsJson: none,
          chosenJson: none,
          publications: [],
        };
      },
    },
    releases: {
      findRelease: ({ by }) =>
        by?.$case === 'name' && [VERSION, DOI].includes(by.value)
          ? Promise.resolve({ release: Release.fromPartial({ identifier: VERSION, state: { ...state, revision: 2 } }) })
          : Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'There is no such version.')),
    },
  });
  const { url } = await startGateway({ ports: [port], env });
  return { url, dataset };
}

test('a result is computed once per dataset state', async () => {
  const { url, dataset } = await startDataset();
  const first = await get(`${url}/public/dataset/facets?keys=polymer`);
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  for (const path of [
    '/public/dataset/facets?keys=polymer',
    '/api/public/dataset/latest/facets?limit=20&keys=polymer',
  ]) {
    expect((await get(url + path)).text).toBe(first.text);
  }
  expect(dataset.requests).toHaveLength(1);
  const tag = first.headers.get('etag') ?? '';
  const again = await get(`${url}/public/dataset/facets?keys=polymer`, { headers: { 'if-none-match': tag } });
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  const head = await get(`${url}/public/dataset/facets?keys=polymer`, { method: 'HEAD' });
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
  dataset.state.revision = 6;
  await sleep(50);
  const next = await get(`${url}/public/dataset/facets?keys=polymer`, { headers: { 'if-none-match': tag } });
  expect([next.status, next.text === first.text, dataset.requests.length]).toEqual([200, false, 2]);
});

test('different questions have different results and tags', async () => {
  const { url, dataset } = await startDataset();
  const paths = [
    'facets',
    'facets?keys=polymer',
    'facets?keys=solvent',
    'facets?limit=3',
    'facets?filter={"polymer":"PVA"}',
    'facets?filter={"polymer":"PCL"}',
    `${VERSION}/facets`,
  ];
  const tags = new Set<string | null>();
  for (const path of paths) tags.add((await get(`${url}/public/dataset/${path}`)).headers.get('etag'));
  expect([tags.size, dataset.requests.length]).toEqual([paths.length, paths.length]);
  // An equivalent filter is the same question.
  await get(`${url}/public/dataset/facets?filter={"polymer":" pva "}`);
  expect(dataset.requests).toHaveLength(paths.length);
});

test('a release is found by identifier or DOI, and latest is not a release', async () => {
  const { url, dataset } = await startDataset();
  const byName = await get(`${url}/public/dataset/${VERSION}/facets`);
  expect(byName.headers.get('cache-control')).toBe('public, max-age=86400');
  expect(byName.json()).toMatchObject({ revision: 2, version: VERSION });
  for (const doi of [DOI, encodeURIComponent(DOI)]) {
    const byDoi = await get(`${url}/public/dataset/${doi}/facets`);
    expect([byDoi.text, byDoi.headers.get('cache-control')]).toEqual([byName.text, 'no-cache']);
  }
  expect(dataset.requests.map(({ revision }) => revision)).toEqual([2]);
  const unknown = await get(`${url}/public/dataset/v9.9.9/facets`);
  expect([unknown.status, unknown.json()]).toMatchObject([404, { code: 'VERSION_NOT_FOUND' }]);
  expect((await get(`${url}/public/dataset/latest/facets`)).json()).toMatchObject({ revision: 5, version: 'latest' });
});

test('a computed result counts as an analysis, a cached one as a read', async () => {
  const { url } = await startDataset({ ESD_RATE_LIMITS: 'on', ESD_LIMIT_READS: '8', ESD_LIMIT_ANALYSIS: '2' });
  const ask = async (limit: number) => {
    const { status, headers } = await get(`${url}/public/dataset/facets?limit=${limit}`);
    return [status, headers.get('ratelimit')?.replace(/;t=.*/, '')];
  };
  expect(await ask(1)).toEqual([200, '"analysis";r=1']);
  expect(await ask(1)).toEqual([200, '"reads";r=6']);
  expect(await ask(2)).toEqual([200, '"analysis";r=0']);
  expect(await ask(3)).toEqual([429, '"analysis";r=0']);
  expect(await ask(2)).toEqual([200, '"reads";r=3']);
  for (const left of [2, 1, 0]) expect(await ask(1)).toEqual([200, `"reads";r=${left}`]);
  expect(await ask(1)).toEqual([429, '"reads";r=0']);
});

test('a client runs two analyses at a time, and requests for the same one share it', async () => {
  const { url, dataset } = await startDataset();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  dataset.opens = promise;
  const ask = (limit: number) => get(`${url}/public/dataset/facets?limit=${limit}`);
  const waiting = [ask(1), ask(2)];
  while (dataset.requests.length < 2) await sleep(5);
  const refused = await ask(3);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
  const same = ask(1);
  resolve(undefined);
  for (const { status } of await Promise.all([...waiting, same])) expect(status).toBe(200);
  expect((await ask(3)).status).toBe(200);
  expect(dataset.requests).toHaveLength(3);
});

test.each([
  [
    'facets?keys=polymr',
    'INVALID_PARAMETER',
    /^`keys` must be a comma-separated list of categories .*the nearest to "polymr" is "polymer"/,
  ],
  ['facets?keys=', 'INVALID_PARAMETER', /the nearest to ""/],
  ['facets?keys=polymer,solvent,polymer', 'INVALID_PARAMETER', /"polymer" is repeated/],
  ['facets?keys=polymer&keys=solvent', 'INVALID_PARAMETER', /`keys` appears more than once/],
  ['facets?limit=0', 'INVALID_PARAMETER', /`limit` must be an integer from 1 to 1000, got "0"/],
  ['facets?key=polymer', 'INVALID_PARAMETER', /nearest: "keys"/],
  ['facets?filter={"polymr":"PVA"}', 'INVALID_FILTER', /"polymr"; nearest: "polymer"/],
])('%s is rejected', async (path, code, message) => {
  const { url, dataset } = await startDataset();
  for (const base of ['/public/dataset', `/public/dataset/${VERSION}`]) {
    const answer = await get(`${url}${base}/${path}`);
    expect([answer.status, answer.json()]).toMatchObject([400, { code }]);
    expect(answer.json()).toMatchObject({ message: expect.stringMatching(message) });
  }
  expect(dataset.requests).toEqual([]);
});
